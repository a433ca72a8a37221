// Tensors' numbers, and how far apart they are.
#pragma once

#include <vector>

#include "../../autograd/tensor.h"

namespace heed {

using Numbers = std::vector<double>;

/// Of an f64 tensor, row by row.
Numbers numbers(const Tensor& x);

/// The largest one; NaN, which is below and above nothing, where numbers are missing or NaN. The
/// test fails where shapes or dtypes differ.
double difference(const Tensor& a, const Tensor& b);
double difference(const Tensor& a, const Numbers& b);
/// The largest one against the largest number of b where that is above 1, of any dtypes.
double relative_difference(const Tensor& a, const Tensor& b);

/// Shapes, dtypes and bits.
bool same_bits(const Tensor& a, const Tensor& b);

}  // namespace heed
