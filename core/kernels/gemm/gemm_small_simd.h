// A small product of doubles, straight from where A and B lie: laying them out in panels
// (gemm_simd.h) would take longer than multiplying. Each element is summed in the order of k, each
// step fused as in panels, so it has the same bits as there.
#pragma once

#include "gemm.h"

namespace heed::kernels::simd {

/// Elements of a transposed B, which is turned first.
inline constexpr Index kTurned = 1024;

/// Whether gemm_small() takes a product of these sizes, and is the faster way.
bool is_small_gemm(Index m, Index n, Index k, bool b_transposed);

/// As gemm() on this thread; m, n and k at least 1.
void gemm_small(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
                const double* bias, double* c, Index c_step);

}  // namespace heed::kernels::simd
