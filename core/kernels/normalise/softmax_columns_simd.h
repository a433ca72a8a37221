// The vector loops behind softmax.h where the axis runs down the columns of a matrix: row by row, a
// strip of columns at a time, on one thread.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

inline constexpr Index kStrip = 128;  ///< columns at most

/// to = softmax (log_softmax) of each column of x [rows, columns]; rows lie `step` apart.
void softmax_columns(const float* x, float* to, Index rows, Index step, Index columns, bool log);
void softmax_columns(const double* x, double* to, Index rows, Index step, Index columns, bool log);

/// Its derivative from the result y, as softmax_grad_row's.
void softmax_grad_columns(const float* g, const float* y, float* to, Index rows, Index step,
                          Index columns, bool log);
void softmax_grad_columns(const double* g, const double* y, double* to, Index rows, Index step,
                          Index columns, bool log);

}  // namespace heed::kernels::simd
