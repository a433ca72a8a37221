// C = alpha op(A) op(B) + beta C over OpenBLAS. A large product is cut into tiles from its shape
// alone, each one a single-threaded BLAS call: the same bits for any number of threads.
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

/// C [m, n] (row-major) = alpha A [m, k] B [k, n] + beta C. In parallel where it is large.
void gemm(Index m, Index n, Index k, float alpha, Matrix<const float> a, Matrix<const float> b,
          float beta, float* c, Index c_step);
void gemm(Index m, Index n, Index k, double alpha, Matrix<const double> a, Matrix<const double> b,
          double beta, double* c, Index c_step);

/// The same as one BLAS call on this thread: for use inside parallel_for.
void gemm_here(Index m, Index n, Index k, float alpha, Matrix<const float> a, Matrix<const float> b,
               float beta, float* c, Index c_step);
void gemm_here(Index m, Index n, Index k, double alpha, Matrix<const double> a,
               Matrix<const double> b, double beta, double* c, Index c_step);

}  // namespace heed::kernels
