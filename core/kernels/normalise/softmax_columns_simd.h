// The vector loops behind softmax.h where the axis runs down the columns of a matrix: row by row, a
// strip of columns at a time, on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

inline constexpr Index kStrip = 128;  ///< columns at most

template <class T>
struct SoftmaxColumns {
  /// to = softmax (log_softmax) of each column of x [rows, columns]; rows lie `step` apart.
  void (*forward)(const T* x, T* to, Index rows, Index step, Index columns, bool log);

  /// Its derivative from the result y, as ReduceKernels::softmax_grad.
  void (*backward)(const T* g, const T* y, T* to, Index rows, Index step, Index columns, bool log);
};
template <class T>
const SoftmaxColumns<T>& softmax_columns();  // f32, f64

}  // namespace heed::kernels::simd
