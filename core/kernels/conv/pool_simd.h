// The vector loop behind max_pool: windows beside each other, on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

template <class T>
struct PoolKernels {
  /// For i below n: most[i] = the largest of x[i step + offsets[p]], p = 0 .. places - 1, and
  /// chosen[i] which p it was: NaN wins, then the first of equals.
  void (*largest)(Index n, const T* x, Index step, Index places, const Index* offsets, T* most,
                  T* chosen);
};
template <class T>
const PoolKernels<T>& pooling();  // f32, f64

}  // namespace heed::kernels::simd
