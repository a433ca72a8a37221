// The vector loops behind standardize_columns.h: over rows of a dense matrix, all columns side by
// side, on one thread. Whatever is not a matrix has one element for each column.
#pragma once

#include "../../shape.h"

namespace heed::kernels::simd {

/// Of each column the mean, and the sum of squares about it.
void column_moments(const float* x, Index rows, Index columns, double* mean, double* squares);
void column_moments(const double* x, Index rows, Index columns, double* mean, double* squares);

/// to = (x - mean) factor + shift
void column_forward(const float* x, Index rows, Index columns, const float* mean,
                    const float* factor, const float* shift, float* to);
void column_forward(const double* x, Index rows, Index columns, const double* mean,
                    const double* factor, const double* shift, double* to);

/// sum = sum of g, product = sum of g (x - mean)
void column_sums(const float* g, const float* x, Index rows, Index columns, const float* mean,
                 double* sum, double* product);
void column_sums(const double* g, const double* x, Index rows, Index columns, const double* mean,
                 double* sum, double* product);

/// to = (g - middle) factor - (x - mean) slope
void column_grad(const float* g, const float* x, Index rows, Index columns, const float* mean,
                 const float* middle, const float* factor, const float* slope, float* to);
void column_grad(const double* g, const double* x, Index rows, Index columns, const double* mean,
                 const double* middle, const double* factor, const double* slope, double* to);

}  // namespace heed::kernels::simd
