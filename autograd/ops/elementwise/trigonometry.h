// Functions of angles, their inverses and the hyperbolic ones; f32 and f64, radians. sin, cos and
// tanh stand in elementwise.h.
#pragma once

#include "../../tensor.h"

namespace heed {

Tensor tan(const Tensor& x);
/// NaN outside [-1, 1].
Tensor asin(const Tensor& x);
Tensor acos(const Tensor& x);
Tensor atan(const Tensor& x);
Tensor sinh(const Tensor& x);
Tensor cosh(const Tensor& x);
/// The angle of the point (x, y), in [-pi, pi]; broadcast. Throws DTypeError, ShapeError.
Tensor atan2(const Tensor& y, const Tensor& x);

}  // namespace heed
