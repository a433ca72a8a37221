// The vector loops behind activation.h: over runs of neighbouring elements, on one thread.
#pragma once

#include "activation.h"

namespace heed::kernels::simd {

template <class T>
struct ActivationKernels {
  /// to[i] = op(x[i])
  void (*forward)(Activation op, const T* x, T* to, std::size_t n, T a, T b);

  /// to[i] = g[i] op'(x[i])
  void (*grad)(Activation op, const T* g, const T* x, T* to, std::size_t n, T a, T b);
};
template <class T>
const ActivationKernels<T>& activations();  // f32, f64

}  // namespace heed::kernels::simd
