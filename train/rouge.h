// ROUGE: how much a summary shares with a reference (Lin 2004, "ROUGE: A Package for Automatic
// Evaluation of Summaries"), as the script ROUGE-1.5.5 computes it with one reference and without
// stemming, shares in [0, 1]:
//
//   ROUGE-n   recall = common / n-grams of the reference, precision = common / those of the summary;
//             common: each n-gram as often as both have it, also across the ends of sentences
//   ROUGE-L   for each sentence of the reference the union of its longest common subsequences with
//             all sentences of the summary; of these words, each counts as often as both texts have it
//   F = 2 P R / (P + R)
//
// Words are runs of ASCII letters and digits, lower-cased; whatever else stands between them parts
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::train {

struct RougeScore {
  double recall = 0, precision = 0, f = 0;
};

struct Rouge {
  RougeScore one, two, l;  ///< ROUGE-1, ROUGE-2, ROUGE-L

  /// The three F in per cent: "   54.75    50.22    54.33".
  std::string to_string() const;
};

/// A text, sentence by sentence.
using RougeText = std::vector<std::string>;

/// Of one text. Where one of the two has no words, or no n-gram, the score is 0. ROUGE-L takes time
/// and memory of the product of two sentences' words.
Rouge rouge(const RougeText& summary, const RougeText& reference);
/// The mean over texts, of recall, precision and F each. Throws ValueError for no texts, and for
/// another number of references.
Rouge mean_rouge(const std::vector<RougeText>& summaries, const std::vector<RougeText>& references);

/// The words that are counted.
std::vector<std::string> rouge_words(std::string_view text);

}  // namespace heed::train
