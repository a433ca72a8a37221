// Writes on: one token after another, each drawn from what the model expects next.
#pragma once

#include "../../nn/sampling.h"
#include "model.h"

namespace language_model {

struct SamplingOptions {
  Index length = 300;
  nn::SamplingOptions choice = {};  ///< of each token; the padding is never drawn
  /// Keeps keys and values; without, and unless kind.steps, each step reads all again.
  bool cache = true;
};

/// `length` tokens that follow `prompt`, which has one at least. A text that outgrows the context
/// is cut to its latter half, and goes on from there. Throws ValueError.
std::vector<Index> sample(const LanguageModel& model, const std::vector<Index>& prompt,
                          const SamplingOptions& options, Generator& generator);

}  // namespace language_model
