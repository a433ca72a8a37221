// Matrix products of Arrays, with NumPy's rules for batches.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// a [.., m, k] times b [.., k, n] -> [.., m, n], leading axes broadcast. Rank 1 counts as a row on
/// the left and a column on the right, and its axis is dropped. f32 or f64, any strides; bf16 is
/// read as f32. Throws ShapeError, DTypeError.
Array matmul(const Array& a, const Array& b);

/// Throws ShapeError where the inner sizes of a product differ.
void check_inner(const Array& a, const Array& b);

/// x [.., in] w^T + bias, w [out, in], bias [out] or undefined. A w in bf16 beside an x in f32 has
/// the bits of w.to(f32); a few rows read it as it lies, in half the time.
Array linear(const Array& x, const Array& w, const Array& bias);

/// The weight's gradient of linear(), g^T x [out, in], of matrices g [rows, out] and x [rows, in];
/// `bias_grad`, where not null, becomes the sums of g's columns [out]. Throws DTypeError,
/// ShapeError.
Array linear_weight_grad(const Array& g, const Array& x, Array* bias_grad);

}  // namespace heed::kernels
