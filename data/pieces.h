// Batches cut in pieces: parts of like size, one behind the other, of which a process that shares a
// training with others makes its own.
//
//   Pieces<Batch> pieces;
//   while (loader.next_pieces({.count = 4, .first = 0, .last = 2}, pieces)) { ... }   // two of four
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <vector>

#include "../core/error.h"
#include "../core/shape.h"

namespace heed::data {

/// In how many pieces, and which of them are wanted: [first, last). [from, to) are those that are
/// wanted of any batch of the step: what is dealt in parts (dealt.h) reads these.
struct Cutting {
  Index count = 1, first = 0, last = 1;
  Index from = first, to = last;
  friend bool operator==(const Cutting&, const Cutting&) = default;
};

template <class Batch>
struct Piece {
  Index rows = 0;  ///< 0 where a batch has fewer rows than pieces
  std::optional<Batch> batch = {};
};
/// All of a batch; those that were not wanted have rows, but no batch.
template <class Batch>
using Pieces = std::vector<Piece<Batch>>;

/// Where piece k of `count` begins in `rows` rows.
inline Index piece_begin(Index rows, Index k, Index count) { return rows * k / count; }

/// Rows in pieces, of which part(begin, end) makes those that are wanted and not empty.
template <class Batch, class Part>
Pieces<Batch> cut_in_pieces(Index rows, const Cutting& cutting, Part part) {
  Pieces<Batch> out(static_cast<std::size_t>(cutting.count));
  for (Index k = 0; k < cutting.count; ++k) {
    const Index begin = piece_begin(rows, k, cutting.count);
    const Index end = piece_begin(rows, k + 1, cutting.count);
    Piece<Batch>& piece = out[static_cast<std::size_t>(k)];
    piece.rows = end - begin;
    if (k >= cutting.first && k < cutting.last && end > begin) piece.batch = part(begin, end);
  }
  return out;
}

/// What was drawn as one and has no list of rows behind it: its type says how many rows there are
/// (rows_of()) and makes some of them (part_of()), both found by argument.
template <class Batch>
concept HasParts = requires(const Batch& batch, Index at) {
  { rows_of(batch) } -> std::convertible_to<Index>;
  { part_of(batch, at, at) } -> std::convertible_to<Batch>;
};

/// Throws ValueError for a batch without parts, unless it stays whole.
template <class Batch>
Pieces<Batch> pieces_of(Batch batch, const Cutting& cutting) {
  if (cutting.count == 1) {
    Pieces<Batch> whole(1);
    if constexpr (HasParts<Batch>) {
      whole[0].rows = static_cast<Index>(rows_of(batch));
    } else {
      whole[0].rows = 1;
    }
    whole[0].batch = std::move(batch);
    return whole;
  }
  if constexpr (HasParts<Batch>) {
    return cut_in_pieces<Batch>(rows_of(batch), cutting,
                                [&](Index begin, Index end) { return part_of(batch, begin, end); });
  } else {
    throw ValueError(
        "loader: these batches are drawn whole and nobody has said how to cut them: give the "
        "batch's type rows_of() and part_of(), or draw rows");
  }
}

}  // namespace heed::data
