// Which values there are, how often, and between which bounds they lie. No gradients.
#pragma once

#include "../../tensor.h"

namespace heed {

/// The different elements of x, ascending, rank 1; any dtype. Each NaN is one by itself.
Tensor unique(const Tensor& x);
struct UniqueCounts {
  Tensor values;
  Tensor inverse;  ///< i64, x's shape: the place of each element among the values
  Tensor counts;   ///< i64: how often each stands in x
};
UniqueCounts unique_with_counts(const Tensor& x);

/// i64: how often each of 0, 1, .. stands in x, i64 of rank 1, at least `minlength` places. Throws
/// ValueError for a negative element, ShapeError, DTypeError.
Tensor bincount(const Tensor& x, Index minlength = 0);

/// i64, x's shape: how many of `boundaries`, ascending, rank 1, are below the element, or with
/// `right` not above it. One dtype (DTypeError). Throws ShapeError.
Tensor bucketize(const Tensor& x, const Tensor& boundaries, bool right = false);
/// The same by PyTorch's other order of arguments.
Tensor searchsorted(const Tensor& boundaries, const Tensor& x, bool right = false);

/// i64: how many elements are not 0; any dtype.
Tensor count_nonzero(const Tensor& x, const Axes& axes = {});

}  // namespace heed
