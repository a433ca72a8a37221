// Floats rounded to the nearest bf16.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// x[0 .. n), in place: ties to even, beyond bf16's largest to infinity, NaN stays NaN.
void round_to_bf16(float* x, Index n);

}  // namespace heed::kernels::simd
