// Masks say which places may be attended to: true means *may attend*, everywhere. A row without any
// true yields zeros, with zero gradients, and whatever stands in a masked place, NaN included,
// changes nothing.
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace heed::attention {

class Mask {
 public:
  /// Everything may be attended to.
  Mask() = default;
  /// Any bool tensor that broadcasts to the scores. Throws DTypeError for other dtypes.
  explicit Mask(Tensor allowed);
  /// [B, steps]: the first lengths[b] places of row b. Throws ShapeError for a length outside [0,
  /// steps].
  static Mask lengths(const std::vector<Index>& lengths, Index steps);

  /// True when it hides nothing.
  bool all() const { return !allowed_.defined(); }
  /// bool; undefined when all().
  const Tensor& tensor() const { return allowed_; }

 private:
  Tensor allowed_;
};

/// What both allow.
Mask operator&(const Mask& a, const Mask& b);

}  // namespace heed::attention
