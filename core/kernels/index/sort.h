// Orders along one axis, any dtype. Equal elements keep their order; NaN is greater than any
// number. Results are i64 places along the axis. Every element becomes an unsigned integer key in
// that order, its place behind it, so that equal keys cannot be and any sort is a stable one.
#pragma once

#include "../../array.h"

namespace heed::kernels {

/// The places of the first `count` in ascending (descending) order: [.., count, ..]. With `sorted`
/// false they come in the order they stand in. Throws ShapeError, and ValueError in `op`'s name for
/// a count outside [0, size].
Array first_places(const char* op, const Array& x, Index axis, Index count, bool descending,
                   bool sorted);

/// The place of the lower median, or of the first NaN: [.., 1, ..]. Throws ShapeError over no
/// elements.
Array median_places(const Array& x, Index axis);

}  // namespace heed::kernels
