// The right-hand side of thin products that come again and again, as the recurrent weights of a sequence
// do: laid out once in panels of 64 bytes by k rows, then multiplied at every step. BLAS would lay it
// out anew each time, which for a few rows costs more than the product.
#pragma once

#include "../array.h"
#include "gemm.h"

namespace heed::kernels {

template <class T>
class PackedMatrix {
 public:
  /// Columns of a panel.
  static constexpr Index kPanel = 64 / static_cast<Index>(sizeof(T));

  /// Copies b [k, n]. In parallel.
  PackedMatrix(Index k, Index n, Matrix<const T> b);

  /// n rounded up to whole panels: the columns that multiply() writes, the last of them zeros.
  Index columns() const { return columns_; }

  /// c [m, columns()] = a [m, k] b, or += with `add`; on this thread. A row's result has the same bits
  /// in whatever company it comes. c_step is at least columns().
  void multiply(Index m, const T* a, Index a_step, bool add, T* c, Index c_step) const;

 private:
  Index k_, columns_;
  Array panels_;  // [columns / kPanel, k, kPanel]
};

}  // namespace heed::kernels
