// Arithmetic and reductions of integers and bools, in plain loops. i64 wraps around where it
// overflows, as on any machine. Any strides; results are fresh and contiguous.
#pragma once

#include "../reduce/reduce.h"
#include "elementwise.h"

namespace heed::kernels {

/// Of i64: neg, abs, sign, square.
bool takes_integers(Unary op);
/// Of i64: add, sub, mul, maximum, minimum. Of bool: add (or), mul (and), maximum, minimum.
bool takes(Binary op, DType dtype);

Array integer_unary(Unary op, const Array& x);
/// x and y of one dtype; broadcast. Throws ShapeError.
Array integer_binary(Binary op, const Array& x, const Array& y);
/// i64 for sums and products, which count bools; x's dtype for the largest and the smallest. `axes`
/// are sorted and not negative.
Array integer_reduce(Reduce op, const Array& x, const std::vector<Index>& axes, bool keepdim);

}  // namespace heed::kernels
