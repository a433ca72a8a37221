// Standardisation where a row in the sense of standardize.h is a column of a matrix, as in the
// batch norm of [N, C]: read as it lies, a few rows of it at a time. Each such piece finds its own
// means and squares while it is in cache; they are joined as by Chan et al., "Updating Formulae and
// a Pairwise Algorithm for Computing Sample Variances" (1979).
#pragma once

#include <vector>

#include "standardize.h"

namespace heed::kernels {

/// Of the columns of x, dense, f32 or f64, seen as [rows, columns] of more than nothing. Their
/// variances are sums of squares over the number of rows.
struct ColumnMoments {
  std::vector<double> means, variances;
};
ColumnMoments column_moments(const Array& x, Index columns);

/// Of x, dense, seen as [rows, columns]; weight and bias have one element for each column, or are
/// undefined. Nothing is checked.
Standardized standardize_columns(const Array& x, const Array& weight, const Array& bias,
                                 Index columns, double eps);

/// The gradients, all three, from the forward pass' moments.
StandardizeGradients standardize_columns_grad(const Array& g, const Array& x, const Array& weight,
                                              const Array& mean, const Array& variance, double eps);

}  // namespace heed::kernels
