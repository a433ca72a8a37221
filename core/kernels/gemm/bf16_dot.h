// Kernels of gemm_bf16.h for processors with AVX512-BF16, which Highway has no words for yet.
#pragma once

#include "gemm_simd.h"

namespace heed::kernels::simd {

/// Only where has_bf16_dot().
GemmKernels<float> bf16_dot_kernels();

}  // namespace heed::kernels::simd
