// The vector loops behind reduce.h and softmax.h: one row at a time, on one thread.
#pragma once

#include "reduce.h"

namespace heed::kernels::simd {

/// The sum of x[0], x[step], ..., n of them: a few at a time as they are, the rest in doubles.
double sum(const float* x, Index step, std::size_t n);
double sum(const double* x, Index step, std::size_t n);

/// sums[i] += x[i] + x[row_step + i] + ... over `rows`, for i below `n`, in the same way.
void add_rows(const float* x, Index row_step, Index rows, Index n, double* sums);
void add_rows(const double* x, Index row_step, Index rows, Index n, double* sums);

/// op over x[0], x[step], ..., n of them.
float reduce(Reduce op, const float* x, Index step, std::size_t n);
double reduce(Reduce op, const double* x, Index step, std::size_t n);

/// to[i to_step] = op over x[i row_step], x[i row_step + 1], ..., n of them, for each of `rows`.
void reduce_rows(Reduce op, const float* x, Index row_step, std::size_t n, float* to, Index to_step,
                 Index rows);
void reduce_rows(Reduce op, const double* x, Index row_step, std::size_t n, double* to,
                 Index to_step, Index rows);

/// to = softmax(x) over one row, or log_softmax. `mask` may be null; where it is false the place
/// takes no part and gets 0 (log: -infinity); a row without any true gets zeros (log: -infinity).
void softmax_row(const float* x, const bool* mask, float* to, std::size_t n, bool log);
void softmax_row(const double* x, const bool* mask, double* to, std::size_t n, bool log);

/// Its derivative from the result y: softmax y (g - sum(g y)), log_softmax g - exp(y) sum(g). Where
/// y is 0 (log: -infinity) the result is 0 whatever g is.
void softmax_grad_row(const float* g, const float* y, float* to, std::size_t n, bool log);
void softmax_grad_row(const double* g, const double* y, double* to, std::size_t n, bool log);

}  // namespace heed::kernels::simd
