// Numbers made whole; f32 and f64 (of i64: x itself). Gradients are 0 everywhere, as PyTorch's.
#pragma once

#include "../../tensor.h"

namespace heed {

/// The largest whole number not above x; the smallest not below it.
Tensor floor(const Tensor& x);
Tensor ceil(const Tensor& x);
/// The nearest; of two the even one.
Tensor round(const Tensor& x);
/// Towards 0.
Tensor trunc(const Tensor& x);

}  // namespace heed
