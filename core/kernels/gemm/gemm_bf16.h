// Products of floats in bf16: the kernels of gemm_simd.h that round both operands to bf16 while
// they lay them out, to the nearest, ties to even, and add up in f32.
//
// With AVX512-BF16 a place of a panel holds two bf16s, of successive k, and one instruction adds
// the products of 16 such pairs; it takes numbers under 2^-126 for zeros. Elsewhere panels hold
// rounded floats, which f32's own kernels multiply: as exact, as fast as f32.
#pragma once

#include "gemm_simd.h"

namespace heed::kernels::simd {

/// What this processor has; panels.rows is 0 where f32 has no panels either.
GemmKernels<float> gemm_bf16();

}  // namespace heed::kernels::simd
