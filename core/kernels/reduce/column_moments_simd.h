// The vector loops behind column_moments.h: over rows of a dense matrix, all columns side by side,
// on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

template <class T>
struct ColumnMomentsKernels {
  /// Of each column the mean, and the sum of squares about it.
  void (*moments)(const T* x, Index rows, Index columns, double* mean, double* squares);
};
template <class T>
const ColumnMomentsKernels<T>& column_moments();  // f32, f64

}  // namespace heed::kernels::simd
