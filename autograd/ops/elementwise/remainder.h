// What division leaves: x - y floor(x / y), with the sign of y, as Python's %. f32, f64 and i64,
// one dtype; operands broadcast. A remainder of an integer by 0 is 0.
//
//   gx = g        gy = -g floor(x / y)
#pragma once

#include "../../tensor.h"

namespace heed {

/// Throws DTypeError, ShapeError.
Tensor remainder(const Tensor& x, const Tensor& y);
/// The number takes the tensor's dtype; one with a point makes i64 f32.
Tensor remainder(const Tensor& x, Scalar y);
inline Tensor operator%(const Tensor& x, const Tensor& y) { return remainder(x, y); }
inline Tensor operator%(const Tensor& x, Scalar y) { return remainder(x, y); }

}  // namespace heed
