#include "side_by_side.h"

#include <algorithm>
#include <utility>

namespace heed {
namespace {

// An array as rows of `width` neighbouring elements.
struct Rows {
  std::vector<std::pair<Index, Index>>
      outer;  // stride and size of the axes between rows, the widest first
  Index width = 1;

  // Axes of one place have no say.
  explicit Rows(const Array& x) {
    for (Index axis = 0; axis < x.rank(); ++axis) {
      if (x.size(axis) != 1) outer.emplace_back(x.strides()[axis], x.size(axis));
    }
    std::sort(outer.rbegin(), outer.rend());
    for (; !outer.empty() && outer.back().first == width; outer.pop_back()) {
      width *= outer.back().second;
    }
  }
  // Elements from a row to the next, where rows follow each other at even distances; else 0.
  Index step() const {
    for (std::size_t i = 0; i + 1 < outer.size(); ++i) {
      if (outer[i].first != outer[i + 1].first * outer[i + 1].second) return 0;
    }
    return outer.empty() ? 0 : outer.back().first;
  }
};

}  // namespace

Array joined_in_place(const std::vector<Array>& pieces, Index axis) {
  if (pieces.empty() || !pieces[0].defined()) return {};
  const Array& first = pieces[0];
  const Index step = first.strides()[axis] * static_cast<Index>(size_of(first.dtype()));
  Shape shape = first.shape();
  shape[axis] = 0;
  for (const Array& piece : pieces) {
    if (!piece.defined() || !piece.shares_storage(first) || piece.dtype() != first.dtype() ||
        !(piece.strides() == first.strides()) || piece.raw() != first.raw() + shape[axis] * step) {
      return {};
    }
    Shape beside = piece.shape();
    beside[axis] = shape[axis];
    if (!(beside == shape)) return {};
    shape[axis] += piece.size(axis);
  }
  return first.as_strided(shape, first.strides());
}

std::vector<Array> empty_side_by_side(const std::vector<Array>& like) {
  if (like.empty() || !like[0].defined() || like[0].numel() == 0) return {};
  const Rows rows(like[0]);
  const auto size = static_cast<Index>(size_of(like[0].dtype()));
  std::vector<std::pair<const std::byte*, Index>> pieces;  // of a row: begin and width
  Index width = 0;
  for (const Array& x : like) {
    if (!x.defined() || !x.shares_storage(like[0]) || x.dtype() != like[0].dtype()) return {};
    const Rows own(x);
    if (own.outer != rows.outer) return {};
    pieces.emplace_back(x.raw(), own.width);
    width += own.width;
  }
  if (rows.step() != width) return {};
  std::sort(pieces.begin(), pieces.end());
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    if (pieces[i + 1].first != pieces[i].first + pieces[i].second * size) return {};
  }
  const Index all = rows.outer.front().first * rows.outer.front().second;
  const Array block = Array::empty(Shape{all}, like[0].dtype());
  std::vector<Array> out;
  for (const Array& x : like) {
    const Index begin = (x.raw() - pieces.front().first) / size;
    out.push_back(block.slice(0, begin, all).as_strided(x.shape(), x.strides()));
  }
  return out;
}

}  // namespace heed
