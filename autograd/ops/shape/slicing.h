// Parts of a tensor along its axes, as views: Python's indexing. Any dtype. Axes and indices may be
// negative, and then count from the end.
//
//   index(x, {Slice(1, 5, 2), kEllipsis, 3, kNewAxis})    // x[1:5:2, ..., 3, None]
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>

#include "../../tensor.h"

namespace heed {

/// Elements start, start + step, ... before stop, as in Python (bounds are clamped). Throws
/// ValueError unless step > 0.
Tensor slice(const Tensor& x, Index axis, Index start, Index stop, Index step = 1);
/// `length` places of an axis from `start`. Throws IndexError beyond the axis.
Tensor narrow(const Tensor& x, Index axis, Index start, Index length);
/// One place of an axis, which is dropped. Throws IndexError out of range.
Tensor select(const Tensor& x, Index axis, Index index);
/// The places [i, i + offset] (offset < 0: [i - offset, i]) of two axes, which are dropped, as a
/// new last axis.
Tensor diagonal(const Tensor& x, Index offset = 0, Index axis1 = 0, Index axis2 = 1);

/// Square matrices of zeros with x's last axis on a diagonal: [.., n] -> [.., m, m], m = n +
/// |offset|.
Tensor diag_embed(const Tensor& x, Index offset = 0);

/// start:stop:step; all of the axis when nothing is given.
struct Slice {
  static constexpr Index kEnd = INT64_MAX;

  explicit Slice(Index from = 0, Index end = kEnd, Index by = 1)
      : start(from), stop(end), step(by) {}
  Index start, stop, step;
};
/// As many whole axes as the other entries leave over.
struct Ellipsis {};
inline constexpr Ellipsis kEllipsis;
/// An axis of size 1.
struct NewAxis {};
inline constexpr NewAxis kNewAxis;

/// One entry of index(): a place (drops its axis), a Slice, kEllipsis or kNewAxis.
class IndexEntry {
 public:
  enum class Kind : std::uint8_t { place, slice, ellipsis, new_axis };

  template <std::integral T>
  requires(!std::same_as<T, bool>) IndexEntry(T place)
      : kind(Kind::place), range(static_cast<Index>(place)) {}
  IndexEntry(const Slice& slice) : kind(Kind::slice), range(slice) {}
  IndexEntry(Ellipsis) : kind(Kind::ellipsis) {}
  IndexEntry(NewAxis) : kind(Kind::new_axis) {}

  Kind kind;
  Slice range;
};

/// x[entries], a view; axes without an entry stay whole. Throws IndexError for more entries than
/// axes, two ellipses or a place out of range, ValueError unless steps are positive.
Tensor index(const Tensor& x, const std::vector<IndexEntry>& entries);
/// What a list in braces calls: `index(x, {1})` is a place, not one of mask_index.h's tensors.
inline Tensor index(const Tensor& x, std::initializer_list<IndexEntry> entries) {
  return index(x, std::vector<IndexEntry>(entries));
}

}  // namespace heed
