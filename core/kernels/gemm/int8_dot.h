// int8_simd.h's product for processors with AVX512-VNNI, which Highway has no words for yet.
#pragma once

#include "int8_simd.h"

namespace heed::kernels::simd {

/// Only where has_int8_dot().
void multiply_int8_dot(const Int8Product& product, Index first, Index last);

}  // namespace heed::kernels::simd
