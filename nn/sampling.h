// Drawing one of several by their scores, as the next token of a text:
//
//   p_i = exp(s_i / temperature) / sum_j exp(s_j / temperature)
//
// over those that are left, in this order, by
//   top_k   the k highest scores, of equals the first
//   top_p   the likeliest that together have a probability of p or more: Holtzman et al. 2020, "The
//           Curious Case of Neural Text Degeneration"
//   min_p   those at least p times as likely as the likeliest: Nguyen et al. 2024, "Turning Up the
//           Heat"
#pragma once

#include <vector>

#include "../core/generator.h"

namespace heed::nn {

struct SamplingOptions {
  double temperature = 1;  ///< below 1 the likely is drawn more often; 0: always the likeliest
  Index top_k = 0;         ///< only among so many; 0: all
  std::vector<Index> forbidden = {};  ///< never drawn
  double top_p = 1;                   ///< in (0, 1]; 1: all
  double min_p = 0;                   ///< in [0, 1]; 0: all
};

/// The place of one of `scores`, logits or log-probabilities; NaN is never drawn. Throws ValueError
/// for scores of which none can be drawn, a temperature that is negative or not finite, top_k < 0,
/// top_p and min_p out of their range; IndexError for a forbidden place outside of them.
Index sample(std::vector<double> scores, const SamplingOptions& options, Generator& generator);

/// What sample() draws by: p of each place, 0 of those that are left out. Throws as it does.
std::vector<double> probabilities(std::vector<double> scores, const SamplingOptions& options);

}  // namespace heed::nn
