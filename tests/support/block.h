// Block: an n-d block of doubles for the references, which share nothing with the library's
// kernels: every reference says how one element comes about, from its place.
//
//   Block turned({3, 2}, [&](const Place& p) { return x({p[1], p[0]}); });
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "../../autograd/tensor.h"

namespace heed {

/// Where an element is: one number an axis.
using Place = std::vector<Index>;

class Block {
 public:
  Block() = default;
  Block(std::vector<Index> shape, std::vector<double> values);
  /// Every element from its place, row-major.
  Block(const std::vector<Index>& shape, const std::function<double(const Place&)>& element);
  /// The numbers of a tensor, of any dtype.
  explicit Block(const Tensor& x);

  const std::vector<Index>& shape() const { return shape_; }
  const std::vector<double>& values() const& { return values_; }
  std::vector<double>& values() & { return values_; }
  std::vector<double> values() && { return std::move(values_); }
  Index rank() const { return static_cast<Index>(shape_.size()); }
  Index size(Index axis) const {
    return shape_[static_cast<std::size_t>(axis < 0 ? axis + rank() : axis)];
  }

  /// The element at `place`, aligned at the end; an axis of size 1 answers for every place.
  double operator()(const Place& place) const { return values_[offset(place)]; }
  /// The element itself, of a place with one number an axis.
  double& at(const Place& place) { return values_[offset(place)]; }
  /// x(b, t, d): of a place that must be there.
  template <std::integral... Indices>
  double operator()(Indices... place) const {
    return values_[existing({static_cast<Index>(place)...})];
  }
  /// The last axis at the place of the others.
  std::vector<double> row(std::initializer_list<Index> place) const;

 private:
  std::size_t offset(const Place& place) const;
  std::size_t existing(std::initializer_list<Index> place) const;
  std::vector<Index> shape_;
  std::vector<double> values_;
};

using Blocks = std::vector<Block>;

/// Calls body for every place of a shape, in row-major order.
void each_place(const std::vector<Index>& shape, const std::function<void(const Place&)>& body);

}  // namespace heed
