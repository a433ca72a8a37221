// The vector loops behind standardize_columns.h: over rows of a dense matrix, all columns side by
// side, on one thread. Whatever is not a matrix has one element for each column.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

template <class T>
struct StandardizeColumns {
  /// to = (x - mean) factor + shift
  void (*forward)(const T* x, Index rows, Index columns, const T* mean, const T* factor,
                  const T* shift, T* to);

  /// sum = sum of g, product = sum of g (x - mean)
  void (*sums)(const T* g, const T* x, Index rows, Index columns, const T* mean, double* sum,
               double* product);

  /// to = (g - middle) factor - (x - mean) slope
  void (*grad)(const T* g, const T* x, Index rows, Index columns, const T* mean, const T* middle,
               const T* factor, const T* slope, T* to);
};
template <class T>
const StandardizeColumns<T>& standardize_columns();  // f32, f64

}  // namespace heed::kernels::simd
