// Products with weights in 8 bits, for what has been trained: a pass backward throws GradError.
#pragma once

#include "../../../core/kernels/gemm/int8_matrix.h"
#include "../../tensor.h"

namespace heed {

/// x f32 [.., in] w^T + bias -> [.., out], as linear(). Throws ShapeError, DTypeError.
Tensor linear_int8(const Tensor& x, const kernels::Int8Matrix& weight,
                   const Tensor& bias = Tensor());

/// The rows of ids i64 [..] -> f32 [.., width], as embedding(). Throws DTypeError, IndexError.
Tensor embedding_int8(const kernels::Int8Matrix& weight, const Tensor& ids);

}  // namespace heed
