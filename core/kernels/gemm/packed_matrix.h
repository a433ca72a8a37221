// The right-hand side of thin products that come again and again, as the recurrent weights of a
// sequence do: laid out once in panels of 64 bytes by k rows, then multiplied at every step. BLAS
// would lay it out anew each time, which for a few rows costs more than the product.
#pragma once

#include "../../array.h"
#include "gemm.h"

namespace heed::kernels {
namespace simd {

/// The vector loop behind it: c [m, n] = a [m, k] times panels, or += with `add`.
template <class T>
struct PackedKernels {
  void (*multiply)(Index m, Index n, Index k, const T* a, Index a_step, const T* panels, bool add,
                   T* c, Index c_step);
};
template <class T>
const PackedKernels<T>& packed();  // f32, f64

}  // namespace simd

template <class T>
class PackedMatrix {
 public:
  /// Columns of a panel.
  static constexpr Index kPanel = 64 / static_cast<Index>(sizeof(T));

  /// Copies b [k, n]. In parallel.
  PackedMatrix(Index k, Index n, Matrix<const T> b);

  Index k() const { return k_; }
  Index n() const { return n_; }

  /// c [m, n] = a [m, k] b, or += with `add`; on this thread. A row's result has the same bits in
  /// whatever company it comes.
  void multiply(Index m, const T* a, Index a_step, bool add, T* c, Index c_step) const;

 private:
  Index k_, n_;
  Array panels_;  // [n / kPanel rounded up, k, kPanel]; zeros beyond n
};

}  // namespace heed::kernels
