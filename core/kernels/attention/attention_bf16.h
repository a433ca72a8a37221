// Products of blocks of tiled attention in bf16, with sums in f32.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// As RowKernels::multiply, with a and b rounded to bf16; a's rows or its columns are dense. Only
/// where has_bf16_dot().
void multiply_bf16(Index m, Index n, Index k, const float* a, Index a_row, Index a_column,
                   const float* b, Index b_step, bool add, float* c, Index c_step);

}  // namespace heed::kernels::simd
