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

/// Rows first .. last - 1 of `to` = a b, b [.., n].
void sparse_rows(const SparseData& a, Index first, Index last, const float* b, Index n, float* to);
void sparse_rows(const SparseData& a, Index first, Index last, const double* b, Index n,
                 double* to);

}  // namespace heed::kernels::simd
