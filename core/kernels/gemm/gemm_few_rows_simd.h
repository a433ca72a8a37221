// Products of a few rows with a matrix that lies transposed, as the weights of a linear layer do:
// what a decoder asks for with each token. The matrix is read once, in the order of memory, and is
// not laid out anew, which would cost more than the product.
#pragma once

#include "gemm.h"

namespace heed::kernels::simd {

/// Rows up to which panels cost more.
inline constexpr Index kFewRows = 8;

/// Columns begin .. end of c [m, n] = a [m, k] b^T, b [n, k], or += with `add`; `bias` [n] or null
/// is added too. On this thread. A sum is cut from k alone, so that an element has the same bits
/// whatever its row, its column, and however many others there are.
void gemm_few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
                   const float* b, Index b_step, bool add, const float* bias, float* c,
                   Index c_step);
/// The same of b in bf16, to the bit.
void gemm_few_rows(Index m, Index begin, Index end, Index k, const float* a, Index a_step,
                   const BFloat16* b, Index b_step, bool add, const float* bias, float* c,
                   Index c_step);

}  // namespace heed::kernels::simd
