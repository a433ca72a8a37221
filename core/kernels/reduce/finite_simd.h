// The vector loop behind finite.h, on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// Whether there is no NaN and no infinity among x[0 .. n).
bool all_finite(Index n, const float* x);
bool all_finite(Index n, const double* x);

}  // namespace heed::kernels::simd
