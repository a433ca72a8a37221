// Running results along one axis, f32 and f64, held in f64 on the way. `reverse` runs from the last
// place to the first.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// y_t = y_{t-1} + x_t.
Array cumsum(const Array& x, Index axis, bool reverse);

/// h_t = a_t h_{t-1} + b_t; the first place is b alone. a and b of one shape and dtype.
Array linear_scan(const Array& a, const Array& b, Index axis, bool reverse);

}  // namespace heed::kernels
