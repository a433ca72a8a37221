// Cuts a text into windows of `context` tokens, or into its lines: the targets are the inputs one
// place further on.
#pragma once

#include <vector>

#include "../../autograd/ops/packed.h"
#include "../../core/generator.h"

namespace language_model {

using heed::Index;

struct Batch {
  heed::Array inputs, targets;  ///< i64 [B, T]
};

/// Lines of different lengths, one behind the other.
struct PackedBatch {
  heed::Packed inputs;  ///< i64 [N]
  heed::Tensor targets;
};

/// `count` windows at random places. Throws ValueError for a text of `context` tokens or fewer.
Batch random_windows(const std::vector<Index>& text, Index count, Index context,
                     heed::Generator& generator);

/// Where the lines of a text begin and end, each with its end mark; without the first, before which
/// no mark stands. A line longer than `context` is several.
struct Line {
  Index begin, end;
};
std::vector<Line> lines_of(const std::vector<Index>& text, Index end_mark, Index context);

/// The inputs of each line are the mark before it and its tokens but the last.
PackedBatch packed_lines(const std::vector<Index>& text, const std::vector<Line>& lines);
/// Lines drawn until they have `tokens` tokens. Throws ValueError where there are none.
std::vector<Line> random_lines(const std::vector<Line>& lines, Index tokens,
                               heed::Generator& generator);

/// The whole text once, each token but the first a target once: windows side by side, at most
/// `count` a batch, the last perhaps shorter, in a batch of its own. Throws ValueError for a text
/// of fewer than two tokens.
std::vector<Batch> all_windows(const std::vector<Index>& text, Index count, Index context);

}  // namespace language_model
