// The variance of rows, which reads them once, and of columns, f32 and f64. Long ones are cut into
// pieces by shape alone: the same bits for any number of threads.
#pragma once

#include <vector>

#include "../../array.h"

namespace heed::kernels {

/// The sum of (x - mean)^2 over `axes` (sorted, not negative), divided by `over`; the reduced axes
/// stay with size 1 where `keepdim`. 0 of equal numbers. f32 or f64, of any layout, with an axis
/// and a number at least; rows and columns that lie together are read as they lie.
Array variance(const Array& x, const std::vector<Index>& axes, double over, bool keepdim);

}  // namespace heed::kernels
