// Block: an n-d block of doubles for the references, which share nothing with the library's
// kernels: every reference says how one element comes about, from its place.
//
//   Block turned({3, 2}, [&](const Place& p) { return x({p[1], p[0]}); });
#pragma once

#include <functional>
#include <vector>

#include "../../../core/shape.h"

namespace heed::table {

/// Where an element is: one number an axis.
using Place = std::vector<Index>;

class Block {
 public:
  Block() = default;
  Block(std::vector<Index> shape, std::vector<double> values);
  /// Every element from its place, row-major.
  Block(const std::vector<Index>& shape, const std::function<double(const Place&)>& element);

  const std::vector<Index>& shape() const { return shape_; }
  const std::vector<double>& values() const { return values_; }
  Index rank() const { return static_cast<Index>(shape_.size()); }
  Index size(Index axis) const {
    return shape_[static_cast<std::size_t>(axis < 0 ? axis + rank() : axis)];
  }

  /// The element at `place`, aligned at the end; an axis of size 1 answers for every place.
  double operator()(const Place& place) const { return values_[offset(place)]; }
  /// The element itself, of a place with one number an axis.
  double& at(const Place& place) { return values_[offset(place)]; }

 private:
  std::size_t offset(const Place& place) const;
  std::vector<Index> shape_;
  std::vector<double> values_;
};

using Blocks = std::vector<Block>;

/// Calls body for every place of a shape, in row-major order.
void each_place(const std::vector<Index>& shape, const std::function<void(const Place&)>& body);

/// f of the elements of x; of x and y, broadcast.
Block map(const Block& x, const std::function<double(double)>& f);
Block map(const Block& x, const Block& y, const std::function<double(double, double)>& f);

/// step(... step(start, first) ..., last) over the places of `axes` (none: all).
Block fold(const Block& x, std::vector<Index> axes, bool keepdim, double start,
           const std::function<double(double, double)>& step);

/// The place with `axis` set to `index`; without the axis; with one inserted.
Place replaced(Place place, Index axis, Index index);
Place without(Place place, Index axis);
Place with(Place place, Index axis, Index index);

}  // namespace heed::table
