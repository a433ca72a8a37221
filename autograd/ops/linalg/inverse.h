// Square matrices: inverses and determinants. x [.., n, n], f32 and f64; worked out in f64 by
// elimination with row pivots, O(n^3). Throw ShapeError unless square, DTypeError.
#pragma once

#include "../../tensor.h"

namespace heed {

/// x^-1, [.., n, n]. Throws ValueError for a matrix that is singular.
Tensor inverse(const Tensor& x);

/// log det x, [..]; -infinity of 0, NaN below it. Its gradient is the inverse's transpose, and
/// throws ValueError where there is none.
Tensor logdet(const Tensor& x);

}  // namespace heed
