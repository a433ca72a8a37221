// Triangular systems of Arrays.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// The X of a X = b, a [.., n, n] of which one half is read, b [.., n, m]; leading axes broadcast.
/// With `unit` a's diagonal counts as ones. f32 or f64, any strides. Throws ShapeError, DTypeError.
Array solve_triangular(const Array& a, const Array& b, bool upper, bool unit);

}  // namespace heed::kernels
