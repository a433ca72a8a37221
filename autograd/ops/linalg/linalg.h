// Products of vectors, matrices and batches of them by their names, all composed of matmul(). f32
// and f64, one dtype (DTypeError); ranks and inner sizes must fit (ShapeError).
#pragma once

#include "../../tensor.h"

namespace heed {

/// x [n] y [n] -> []: the sum of products.
Tensor dot(const Tensor& x, const Tensor& y);
/// x [.., k] y [..', k] -> [.., ..']: the sums of products over the last axes, as PyTorch's; of two
/// vectors dot(), and a number times anything. Takes i64, too.
Tensor inner(const Tensor& x, const Tensor& y);
/// x [m] y [n] -> [m, n]: every product.
Tensor outer(const Tensor& x, const Tensor& y);
/// a [m, k] b [k, n] -> [m, n]
Tensor mm(const Tensor& a, const Tensor& b);
/// a [m, k] x [k] -> [m]
Tensor mv(const Tensor& a, const Tensor& x);
/// a [B, m, k] b [B, k, n] -> [B, m, n]; batches do not broadcast.
Tensor bmm(const Tensor& a, const Tensor& b);

/// y_o = x1^T weight_o x2 + bias_o. x1 [.., in1], x2 [.., in2] of equal leading axes, weight
/// [out, in1, in2], bias [out] or undefined -> [.., out].
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight,
                const Tensor& bias = Tensor());

}  // namespace heed
