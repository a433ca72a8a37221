// C = op(A) op(B), or C += op(A) op(B). A large product is cut into tiles from its shape alone,
// each made on one thread: the same bits for any number of threads. Floats go through panels of our
// own (gemm_simd.h), all else through OpenBLAS.
#pragma once

#include "../shape.h"

namespace heed::kernels {

/// One matrix as BLAS sees it: row-major with `step` elements between rows, or the transpose of
/// such.
template <class T>
struct Matrix {
  T* data = nullptr;
  Index step = 0;
  bool transposed = false;
};

/// C [m, n] (row-major) = A [m, k] B [k, n], or += with `add`; `bias` [n] or null is added to every
/// row. In parallel where it is large.
void gemm(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
          float* c, Index c_step, const float* bias = nullptr);
void gemm(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
          double* c, Index c_step, const double* bias = nullptr);

/// C = A B, and the sums of A's rows into `sums` [m] where they can be had in passing: for large
/// products of floats. False where they cannot, and `sums` is as it was.
bool gemm_and_sums(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b,
                   float* c, Index c_step, float* sums);
bool gemm_and_sums(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b,
                   double* c, Index c_step, double* sums);

/// The same as gemm() on this thread: for use inside parallel_for.
void gemm_here(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
               float* c, Index c_step);
void gemm_here(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
               double* c, Index c_step);

}  // namespace heed::kernels
