// Running results along one axis, which may be negative; f32 and f64.
#pragma once

#include "../../tensor.h"

namespace heed {

/// y_t = x_1 + ... + x_t. Takes i64, too, which wraps around, and bool, whose sums are i64.
Tensor cumsum(const Tensor& x, Index axis);

/// y_t = x_1 x_2 ... x_t. Its gradient divides by nothing: zeros are right, at any order.
Tensor cumprod(const Tensor& x, Index axis);

/// h_t = a_t h_{t-1} + b_t along `axis` of the result, the first place b alone: a linear
/// recurrence. a and b broadcast. `reverse` runs from the last place to the first. Throws
/// DTypeError, ShapeError.
Tensor linear_scan(const Tensor& a, const Tensor& b, Index axis, bool reverse = false);

}  // namespace heed
