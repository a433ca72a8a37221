// Tiles of a matrix, turned.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// to[r, c] = from[c, r] for `rows` times `columns` elements, whose rows lie `to_step` and
/// `from_step` apart.
void transpose_tile(const float* from, Index from_step, float* to, Index to_step, Index rows,
                    Index columns);

}  // namespace heed::kernels::simd
