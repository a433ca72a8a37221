// What scores and mechanisms ask of queries, keys and values.
#pragma once

#include "../../autograd/tensor.h"

namespace heed::attention {

struct Terms;

/// The shape [.., Q, K] of the scores of these. Throws ShapeError, which names `op`, for fewer axes
/// than two and leading axes that do not broadcast.
Shape scores_shape(const char* op, const Tensor& query, const Tensor& keys);
/// Throws ShapeError unless `x` is [.., n, width], DTypeError unless it is of the dtype; both name
/// `op` and what x is.
void check_rows(const char* op, const char* what, const Tensor& x, Index width, DType dtype);
/// Of a batch: throws ShapeError unless x is [B, n, any], GradError where it is undefined.
void check_batch(const char* op, const char* what, const Tensor& x);
/// Beside scores in f32 what is added to them in f32, too, where it was held in bf16.
Terms wide_beside(DType scores, Terms terms);

}  // namespace heed::attention
