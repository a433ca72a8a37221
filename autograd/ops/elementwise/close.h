// Whether tensors are the same, exactly or nearly. No gradients.
#pragma once

#include "../../tensor.h"

namespace heed {

/// bool, where |x - y| <= atol + rtol |y|, or both are the same infinity; x and y broadcast, of one
/// dtype. NaN is close to nothing, or with `equal_nan` to NaN. Throws DTypeError, ShapeError.
Tensor isclose(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether all are.
bool allclose(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
/// Whether shapes and all elements are equal; NaN is unequal to all. Throws DTypeError.
bool equal(const Tensor& x, const Tensor& y);

}  // namespace heed
