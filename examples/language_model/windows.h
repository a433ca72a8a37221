// Cuts a text into windows of `context` tokens: the targets are the inputs one place further on.
#pragma once

#include <vector>

#include "../../core/array.h"
#include "../../core/generator.h"

namespace language_model {

using heed::Index;

struct Batch {
  heed::Array inputs, targets;  ///< i64 [B, T]
};

/// `count` windows at random places. Throws ValueError for a text of `context` tokens or fewer.
Batch random_windows(const std::vector<Index>& text, Index count, Index context,
                     heed::Generator& generator);

/// The whole text once, each token but the first a target once: windows side by side, at most
/// `count` a batch, the last perhaps shorter, in a batch of its own. Throws ValueError for a text
/// of fewer than two tokens.
std::vector<Batch> all_windows(const std::vector<Index>& text, Index count, Index context);

}  // namespace language_model
