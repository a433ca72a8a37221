// The vector loops behind reduce.h and softmax.h: one row at a time, on one thread.
#pragma once

#include "reduce.h"

namespace heed::kernels::simd {

template <class T>
struct ReduceKernels {
  /// The sum of x[0], x[step], ..., n of them: a few at a time as they are, the rest in doubles.
  double (*sum)(const T* x, Index step, std::size_t n);

  /// sums[i] += x[i] + x[row_step + i] + ... over `rows`, for i below `n`, in the same way.
  void (*add_rows)(const T* x, Index row_step, Index rows, Index n, double* sums);

  /// op over x[0], x[step], ..., n of them.
  T (*reduce)(Reduce op, const T* x, Index step, std::size_t n);

  /// to[i to_step] = op over x[i row_step], x[i row_step + 1], ..., n of them, for each of `rows`.
  void (*reduce_rows)(Reduce op, const T* x, Index row_step, std::size_t n, T* to, Index to_step,
                      Index rows);

  /// to = softmax(x) over one row, or log_softmax. `mask` may be null; where it is false the place
  /// takes no part and gets 0 (log: -infinity); a row without any true gets zeros (log: -infinity).
  void (*softmax)(const T* x, const bool* mask, T* to, std::size_t n, bool log);

  /// Its derivative from the result y: softmax y (g - sum(g y)), log_softmax g - exp(y) sum(g).
  /// Where y is 0 (log: -infinity) the result is 0 whatever g is.
  void (*softmax_grad)(const T* g, const T* y, T* to, std::size_t n, bool log);
};
template <class T>
const ReduceKernels<T>& reductions();  // f32, f64

}  // namespace heed::kernels::simd
