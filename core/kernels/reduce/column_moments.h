// The mean and the variance of each column of a matrix, read as it lies: pieces of a few rows find
// their own means and squares while they are in cache; they are joined as by Chan et al., "Updating
// Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).
#pragma once

#include <vector>

#include "../../array.h"

namespace heed::kernels {

/// Variances are sums of squares over the number of rows.
struct ColumnMoments {
  std::vector<double> means, variances;
};

/// Of x, dense, f32 or f64, seen as [rows, columns], of more than nothing. Of equal numbers the mean
/// is that number, and the variance 0.
ColumnMoments column_moments(const Array& x, Index columns);

}  // namespace heed::kernels
