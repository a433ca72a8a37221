// Tiles of a matrix, turned.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

template <class T>
struct TransposeKernels {
  /// to[r, c] = from[c, r] for `rows` times `columns` elements, whose rows lie `to_step` and
  /// `from_step` apart.
  void (*tile)(const T* from, Index from_step, T* to, Index to_step, Index rows, Index columns);
};
template <class T>
const TransposeKernels<T>& transposes();  // f32, f64

}  // namespace heed::kernels::simd
