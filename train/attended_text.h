// A document with the attention that a model paid to it: words weighted within their sentence,
// sentences within the document, as hierarchical attention gives them. A flat model's text is one
// sentence of weight 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::train {

struct AttendedWord {
  std::string text;
  double weight = 0.0;  ///< within the sentence
};

struct AttendedSentence {
  double weight = 0.0;  ///< within the document
  std::vector<AttendedWord> words;
  bool evidence = false;  ///< known to carry the label
};

using AttendedText = std::vector<AttendedSentence>;

/// The largest word weight x sentence weight: the full shade. 0 for a text without attention.
double largest_share(const AttendedText& text);
/// word x sentence / largest, in [0, 1]; 0 for whatever is not finite or negative.
double shade_of(const AttendedSentence& sentence, const AttendedWord& word, double largest);
/// Whether a blank stands between two tokens: not before a comma or a full stop, not after an
/// opening bracket, not between two Chinese or Japanese words.
bool space_between(std::string_view left, std::string_view right);

}  // namespace heed::train
