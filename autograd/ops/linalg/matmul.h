// Matrix products. f32 and f64; both operands of one dtype (DTypeError), inner sizes equal
// (ShapeError).
#pragma once

#include "../../tensor.h"

namespace heed {

/// a [.., m, k] b [.., k, n] -> [.., m, n], leading axes broadcast. A rank of 1 counts as a row on
/// the left and as a column on the right, and that axis is dropped.
Tensor matmul(const Tensor& a, const Tensor& b);

/// x [.., in] weight^T + bias -> [.., out]; weight [out, in], bias [out] or undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor());

}  // namespace heed
