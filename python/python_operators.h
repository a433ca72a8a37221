// Operands as Python writes them, and operators that it has and the library has not.
#pragma once

#include "../autograd/autograd.h"

namespace heed::python {

/// The number in x's shape, of the dtype that x and it have together.
Tensor like(const Tensor& x, Scalar y);
/// A flag beside a mask; a number keeps its dtype, which the operator refuses.
Tensor flag(Scalar y);
/// A tensor of one number is of x's dtype where that floats, as in PyTorch.
Tensor beside(const Tensor& x, const Tensor& y);
/// The whole number at or below x / y: x is y (x // y) + x % y. Throws ValueError for integers by 0.
Tensor floor_divide(const Tensor& x, const Tensor& y);
/// The same of a number; both are of the dtype that they have together first.
Tensor floor_divide(const Tensor& x, Scalar y);

}  // namespace heed::python
