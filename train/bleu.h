// BLEU: how much a translation shares with references (Papineni et al. 2002), in percent and
// exactly as sacreBLEU has it (Post 2018), by default BLEU|case:mixed|eff:no|tok:none|smooth:exp.
//
//   BLEU = BP exp(mean over n = 1 .. 4 of log p_n),   p_n = counts_n / totals_n
//   BP   = exp(1 - r / c) where c < r, else 1
//
// over all lines together: totals_n, the n-grams of the system; counts_n, those of them that its
// references have, each at most as often as the reference that has it most; c, the system's words;
// r, of each line the words of the reference nearest in length, the shorter of two.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/shape.h"

namespace heed::train {

inline constexpr std::size_t kBleuOrders = 4;

/// What becomes of orders that share nothing (Chen and Cherry 2014); `exp` halves 1 / totals_n with
/// each of them, `floor` takes a count of smooth_value, `add_k` adds smooth_value to the counts and
/// totals of all n > 1. A text that shares no word at all has a score of 0 in any case.
enum class BleuSmoothing : std::uint8_t { exp, none, floor, add_k };

/// What counts as a word: what stands between blanks as it is given, or after tokenize_13a(); or
/// each character but blanks, for scripts that put none between words (sacreBLEU's tok:char).
enum class BleuTokens : std::uint8_t { given, mteval_13a, characters };

struct BleuOptions {
  BleuTokens tokens = BleuTokens::given;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smooth_value = {};  ///< by default 0.1 of floor, 1 of add_k
  bool effective_order = false;             ///< only orders of which the system has n-grams count
};

struct Bleu {
  double score = 0.0;                            ///< 0 .. 100
  std::array<double, kBleuOrders> precisions{};  ///< in percent, smoothed
  std::array<Index, kBleuOrders> counts{};
  std::array<Index, kBleuOrders> totals{};
  double brevity_penalty = 1.0;
  Index system_length = 0;
  Index reference_length = 0;

  /// "48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)".
  std::string to_string() const;
};

/// `references` holds a list of one or more for each line of the system; they may be empty lines.
/// Throws ValueError for no lines, another number of lists than of lines, a line without
/// references, a smooth_value that is negative or not finite.
Bleu corpus_bleu(const std::vector<std::string>& systems,
                 const std::vector<std::vector<std::string>>& references,
                 const BleuOptions& options = {});
/// One reference a line.
Bleu corpus_bleu(const std::vector<std::string>& systems,
                 const std::vector<std::string>& references, const BleuOptions& options = {});
/// Of one line, with effective order whatever the options say.
Bleu sentence_bleu(std::string_view system, const std::vector<std::string>& references,
                   BleuOptions options = {});
/// What `counted` (its counts, totals and lengths) amounts to. Throws ValueError for numbers that
/// cannot be, and a smooth_value as above.
Bleu bleu_of_counts(Bleu counted, const BleuOptions& options = {});

/// The line as WMT's mteval-v13a splits it: most punctuation apart from words, full stops and
/// commas not between digits, dashes after digits.
std::string tokenize_13a(std::string_view line);
/// Its characters but white space, with a blank between them; what is not UTF-8 is U+FFFD.
std::string tokenize_characters(std::string_view line);

}  // namespace heed::train
