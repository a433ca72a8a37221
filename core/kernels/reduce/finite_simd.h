// The vector loop behind finite.h, on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

template <class T>
struct FiniteKernels {
  /// Whether there is no NaN and no infinity among x[0 .. n).
  bool (*all)(Index n, const T* x);
};
template <class T>
const FiniteKernels<T>& finite();  // f32, f64

}  // namespace heed::kernels::simd
