// Powers x^y of tensors and numbers; f32 and f64, operands broadcast and must have one dtype. As in
// IEEE and PyTorch: 0^0 = 1, a negative x to a fractional power is NaN.
//
//   gx = g y x^(y - 1), 0 where y = 0        gy = g x^y log(x), 0 where x = 0 and y >= 0
#pragma once

#include "../../tensor.h"

namespace heed {

/// Throws DTypeError, ShapeError.
Tensor pow(const Tensor& x, const Tensor& y);
/// The number takes the tensor's dtype. Exponents 1, 2, 3 and -1 are products. Takes an x of i64,
/// too, where y is whole and not below 0: it stays i64 and wraps around.
Tensor pow(const Tensor& x, double y);
Tensor pow(double x, const Tensor& y);

}  // namespace heed
