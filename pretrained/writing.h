// Texts that a model writes, token by token, each at the cost of one step.
#pragma once

#include <functional>
#include <vector>

#include "../nn/sampling.h"
#include "decoder_only.h"

namespace heed::pretrained {

struct WritingOptions {
  Index length = 256;  ///< tokens, with those of the prompt
  nn::SamplingOptions choice = {.temperature = 0};
  Index end = -1;  ///< the token that ends a text; -1: none does
};

/// The prompt and what follows it, to the context's end at most. Each new token is told at once.
/// Throws ValueError for a prompt of nothing, IndexError for tokens that are none.
std::vector<Index> write(const DecoderOnly& model, std::vector<Index> prompt,
                         const WritingOptions& options, Generator& generator,
                         const std::function<void(Index before, Index token)>& tell = {});

}  // namespace heed::pretrained
