// The vector loops behind standardize.h: one run of neighbouring elements, on one thread. A weight
// or bias is null (1 or 0), one element for each of the run, or one for all of it (`many` false).
#pragma once

#include <cstddef>

#include "../../shape.h"

namespace heed::kernels::simd {

/// z = (x - mean) scale
template <class T>
struct Centre {
  T mean, scale;
};

template <class T>
struct StandardizeRuns {
  /// Sum of (x - mean)^2: this sum and those below go on in doubles after a few terms.
  double (*squares)(const T* x, T mean, std::size_t n);

  /// to = z weight + bias
  void (*forward)(const T* x, Centre<T> at, const T* weight, const T* bias, bool many, T* to,
                  std::size_t n);

  /// sum += g weight, product += g weight z; with `weight` null, or one for each element.
  void (*sums)(const T* g, const T* x, Centre<T> at, const T* weight, double& sum, double& product,
               std::size_t n);

  /// to = scale (g weight - sum - z product)
  void (*grad)(const T* g, const T* x, Centre<T> at, const T* weight, bool many, T sum, T product,
               T* to, std::size_t n);

  /// gweight += g z, gbias += g, element by element.
  void (*weight_grad)(const T* g, const T* x, Centre<T> at, T* gweight, T* gbias, std::size_t n);

  /// sums += few, which become 0.
  void (*move)(T* few, double* sums, std::size_t n);
};
template <class T>
const StandardizeRuns<T>& standardize_runs();  // f32, f64

}  // namespace heed::kernels::simd
