// C = op(A) op(B), or C += op(A) op(B): the same bits for any number of threads.
//
// Of doubles: an element of C has the same bits whatever its row and column, however many others
// there are, however A, B and C lie in memory, and in gemm_here() as in gemm(): its sum over k is
// cut from k alone. So a batch, a padded sequence or a chunk gives each row what it gets by itself,
// on every processor; those that fuse a product and a sum give the same bits as one another.
//
// Of floats: rows of one product have that where a few meet weights that lie transposed
// (gemm_few_rows_simd.h), and in panels of our own (gemm_simd.h), which large products take where
// vectors have eight floats or more. All others go through OpenBLAS, cut into tiles from their
// shape alone, and with some of its kernels equal rows do not give equal bits.
#pragma once

#include "../../bfloat16.h"
#include "../../shape.h"

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

/// C = A B, and the sums of A's rows into `sums` [m] where they can be had in passing, from panels.
/// False where they cannot, and `sums` is as it was.
bool gemm_and_sums(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b,
                   float* c, Index c_step, double* sums);
bool gemm_and_sums(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b,
                   double* c, Index c_step, double* sums);

/// The same as gemm() on this thread: for use inside parallel_for.
void gemm_here(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, bool add,
               float* c, Index c_step);
void gemm_here(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, bool add,
               double* c, Index c_step);

/// Whether a product of floats whose weights b^T lie transposed is one of a few rows on this
/// thread, which reads them once (gemm_few_rows_simd.h).
bool few_rows(Index m, Index n, Index k);
/// Whether a product of floats, large enough for panels where there are some (`in_panels`), adds up
/// pieces of k instead: the fewer columns it has, the sooner.
bool is_long_sum(Index m, Index n, Index k, bool in_panels);
/// One of a few rows, c [m, n] = a [m, k] b^T + bias, a and c dense, b [n, k] with b_step numbers
/// from row to row: the bits of gemm() of the same numbers in f32.
void gemm_bf16_weights(Index m, Index n, Index k, const float* a, const BFloat16* b, Index b_step,
                       float* c, const float* bias);

}  // namespace heed::kernels
