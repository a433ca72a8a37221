// The vector loop behind sparse_matrix.h.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// As SparseMatrix has them.
struct SparseData {
  const Index* begins;
  const Index* places;
  const double* values;
};

template <class T>
struct SparseKernels {
  /// Rows first .. last - 1 of `to` = a b, b [.., n].
  void (*rows)(const SparseData& a, Index first, Index last, const T* b, Index n, T* to);
};
template <class T>
const SparseKernels<T>& sparse();  // f32, f64

}  // namespace heed::kernels::simd
