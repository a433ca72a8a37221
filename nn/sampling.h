// Drawing one of several by their scores, as the next token of a text:
//
//   p_i = exp(s_i / temperature) / sum_j exp(s_j / temperature),   over the top_k highest scores
#pragma once

#include <vector>

#include "../core/generator.h"

namespace heed::nn {

struct SamplingOptions {
  double temperature = 1;  ///< below 1 the likely is drawn more often; 0: always the likeliest
  Index top_k = 0;         ///< only among so many; 0: all
  std::vector<Index> forbidden = {};  ///< never drawn
};

/// The place of one of `scores`, logits or log-probabilities; NaN is never drawn. Throws ValueError
/// for scores of which none can be drawn, a temperature that is negative or not finite, top_k < 0;
/// IndexError for a forbidden place outside of them.
Index sample(std::vector<double> scores, const SamplingOptions& options, Generator& generator);

}  // namespace heed::nn
