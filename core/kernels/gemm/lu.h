// Square matrices [.., n, n] by elimination with row pivots: inverses and determinants. f32 and
// f64, any strides; the work is done in f64.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// [.., n, n] -> [.., n, n]. Throws ShapeError unless square, DTypeError, ValueError for a matrix
/// that is singular to the last bit.
Array inverse(const Array& x);

/// [.., n, n] -> [..]: the log of the determinant; -infinity of 0, NaN below it. Throws ShapeError,
/// DTypeError.
Array logdet(const Array& x);

/// What both ask of x, in the name of `op`.
void check_square(const char* op, const Array& x);

}  // namespace heed::kernels
