// Writing while the source still comes in: a loop that asks for the next word and, where whoever
// writes would rather read on, reads one more source word first. Fixed policies (wait-k, Ma et al.
// 2019) and learnt ones (monotonic heads, Ma et al. 2020) are the same loop.
//
//   const SimultaneousText text = write_while_reading({
//       .read = [&] { .. stream.read(next); return true; },        // false: the source has ended
//       .write = [&](Index read, Index written, bool ended) -> std::optional<Index> {
//         if (!ended && read < wait_k_reads({.wait = 3}, written)) return std::nullopt;
//         return next_word();
//       }},
//       end, longest);
//
// How far it lagged behind: train/lagging.h, of `read`.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "../../../core/shape.h"

namespace heed::attention {

struct Simultaneous {
  /// Takes in one more word of the source; false: there is none, and never will be.
  std::function<bool()> read;
  /// The next word, after so many were read and written; none: it wants to read on. What it gives
  /// counts as written.
  std::function<std::optional<Index>(Index read, Index written, bool ended)> write;
};

struct SimultaneousText {
  std::vector<Index> words;  ///< with the one that ends it, if it came
  std::vector<Index> read;   ///< how many source words were read before each
};

/// Until `end` is written, or `longest` words are. Throws ValueError where nothing is written
/// though the source has ended, and unless both functions are there and `longest` is not negative.
SimultaneousText write_while_reading(const Simultaneous& who, Index end, Index longest);

}  // namespace heed::attention
