// Standardisation where a row in the sense of standardize.h is a column of a matrix, as in the
// batch norm of [N, C]: read as it lies, a few rows of it at a time.
#pragma once

#include "standardize.h"

namespace heed::kernels {

/// Of x, dense, seen as [rows, columns]; weight and bias have one element for each column, or are
/// undefined. Nothing is checked.
Standardized standardize_columns(const Array& x, const Array& weight, const Array& bias,
                                 Index columns, double eps);

/// The gradients, all three, from the forward pass' moments.
StandardizeGradients standardize_columns_grad(const Array& g, const Array& x, const Array& weight,
                                              const Array& mean, const Array& variance, double eps);

}  // namespace heed::kernels
