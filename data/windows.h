// Windows of a text that is token numbers, and its lines: what a language model learns from. The
// targets are the inputs one place further on.
#pragma once

#include <vector>

#include "../core/array.h"
#include "../core/generator.h"

namespace heed::data {

/// B of them, T tokens each.
struct Windows {
  Array inputs, targets;  ///< i64 [B, T]
};
/// For what is cut in pieces (pieces.h).
inline Index rows_of(const Windows& windows) { return windows.inputs.size(0); }
inline Windows part_of(const Windows& windows, Index begin, Index end) {
  return {windows.inputs.slice(0, begin, end), windows.targets.slice(0, begin, end)};
}

/// `count` windows of `length` tokens at random places. Throws ValueError for a text of `length`
/// tokens or fewer, and unless both numbers are positive.
Windows random_windows(const std::vector<Index>& text, Index count, Index length,
                       Generator& generator);

/// The whole text once, each token but the first a target once: windows side by side, at most
/// `count` a batch, the last perhaps shorter, in a batch of its own. Throws ValueError for a text
/// of fewer than two tokens, and unless both numbers are positive.
std::vector<Windows> all_windows(const std::vector<Index>& text, Index count, Index length);

/// The whole text once in `rows` pieces of one length that are read side by side: row r of a batch
/// goes on where row r of the batch before ended. What is over, fewer tokens than rows, is `rest`,
/// which goes on from nothing.
struct Streams {
  std::vector<Windows> batches;
  std::vector<Windows> rest;  ///< one or none
};
/// Throws ValueError for a text of no more tokens than rows, and unless both numbers are positive.
Streams side_by_side(const std::vector<Index>& text, Index rows, Index length);

/// The places [begin, end) of a line in its text.
struct LinePlaces {
  Index begin, end;
};

/// Where the lines of a text stand, each with its end mark; without the first, before which no mark
/// stands. A line of more than `longest` tokens is several. Throws ValueError unless that is
/// positive.
std::vector<LinePlaces> lines_of(const std::vector<Index>& text, Index end_mark, Index longest);

/// Lines drawn until they have `tokens` tokens. Throws ValueError where there are none.
std::vector<LinePlaces> random_lines(const std::vector<LinePlaces>& lines, Index tokens,
                                     Generator& generator);

}  // namespace heed::data
