// A large product of floats over the panels of gemm_simd.h: both operands are laid out in panels, a
// slice of k at a time. The one with fewer lines is laid out first, for all; each tile then lays
// out its own lines of the other, which stay in the cache. Tiles come from the shape alone.
#pragma once

#include "gemm.h"

namespace heed::kernels {

/// As gemm(); `sums` [m], or null, gets the sums of A's rows, made while they are laid out. For
/// machines with simd::gemm_panels(), and m, n and k of at least 1.
void gemm_in_panels(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b,
                    bool add, const float* bias, float* c, Index c_step, float* sums);

}  // namespace heed::kernels
