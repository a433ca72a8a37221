// Parts of a tensor along its axes, as views: Python's indexing. Any dtype. Axes and indices may be
// negative, and then count from the end.
//
//   index(x, {Slice(1, 5, 2), Ellipsis, 3, None})     // x[1:5:2, ..., 3, None]
//   index(x, {Slice(None, 5), ids})                   // x[:5, ids], a copy
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

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

/// As many whole axes as the other entries leave over.
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis, kEllipsis;
/// An axis of size 1; of a Slice, the bound that is not given.
struct NewAxis {};
inline constexpr NewAxis None, kNewAxis;

/// start:stop:step; all of the axis when nothing is given.
struct Slice {
  static constexpr Index kEnd = INT64_MAX;

  /// A whole number, or None.
  class Bound {
   public:
    template <Whole T>
    Bound(T place) : place_(static_cast<Index>(place)) {}
    Bound(NewAxis) {}
    Index value_or(Index other) const { return place_.value_or(other); }

   private:
    std::optional<Index> place_;
  };

  explicit Slice(Bound from = None, Bound end = None, Bound by = None)
      : start(from.value_or(0)), stop(end.value_or(kEnd)), step(by.value_or(1)) {}
  Index start, stop, step;
};

/// One entry of index(): a place (drops its axis), a Slice, Ellipsis or "...", None, or a tensor of
/// places or a mask, as mask_index.h has them.
class IndexEntry {
 public:
  enum class Kind : std::uint8_t { place, slice, ellipsis, new_axis, tensor };

  template <Whole T>
  IndexEntry(T place) : kind(Kind::place), range(static_cast<Index>(place)) {}
  IndexEntry(const Slice& slice) : kind(Kind::slice), range(slice) {}
  IndexEntry(EllipsisType) : kind(Kind::ellipsis) {}
  /// "..."; throws IndexError for any other text.
  IndexEntry(const char* dots);
  IndexEntry(NewAxis) : kind(Kind::new_axis) {}
  IndexEntry(Tensor places) : kind(Kind::tensor), tensor(std::move(places)) {}

  Kind kind;
  Slice range;
  Tensor tensor;
};

/// x[entries]; axes without an entry stay whole. A view; with tensors among the entries a copy, in
/// which their axes, broadcast to one shape, stand where the first was if they are neighbours, else
/// in front, as in PyTorch. Throws IndexError for more entries than axes, two ellipses or a place
/// out of range, ValueError unless steps are positive, and what index() of tensors throws.
Tensor index(const Tensor& x, const std::vector<IndexEntry>& entries);
/// What a list in braces calls.
inline Tensor index(const Tensor& x, std::initializer_list<IndexEntry> entries) {
  return index(x, std::vector<IndexEntry>(entries));
}

/// What entries name: `of`, a view of x, and of its leading axes `places` (none: all of it).
struct IndexedPlaces {
  Tensor of;
  std::vector<Tensor> places;
  Index rank = 0;    ///< of what the places broadcast to,
  Index behind = 0;  ///< which stands in the result behind so many of the other axes

  /// What index(of, places) gave, with its axes in the result's order.
  Tensor back(const Tensor& chosen) const;
  /// The other way round: of the result's shape, with the axes of the places in front.
  Tensor front(const Tensor& values) const;
};
/// Throws as index() of entries does.
IndexedPlaces indexed_places(const Tensor& x, const std::vector<IndexEntry>& entries);

/// PyTorch's words for all these.
namespace indexing {
using heed::Ellipsis;
using heed::None;
using heed::Slice;
using TensorIndex = IndexEntry;
}  // namespace indexing

}  // namespace heed
