// Places of several axes at once: where something is not 0, and rows of the leading axes.
#pragma once

#include <vector>

#include "../../array.h"

namespace heed::kernels {

/// i64 [n, rank]: the place of every element that is not 0, in row-major order; any dtype.
Array nonzero(const Array& x);

/// Leading axes of something, seen as one axis of rows.
struct LeadingPlaces {
  Array rows;       ///< i64: the row of each place
  Index axes = 0;   ///< how many axes are led by
  Index count = 1;  ///< rows in all
};

/// The places that `indices` name on the leading axes of `shape`, broadcast. An i64 index answers
/// for one axis, in [-size, size); a bool one for as many as it has, whose sizes are its own, and
/// stands for the places where it is true: without axes for [1] place where it is true, else [0].
/// Throws ShapeError, DTypeError, IndexError in `op`'s name.
LeadingPlaces leading_places(const char* op, const Shape& shape, const std::vector<Array>& indices);

/// A copy of `table` [count, ...] with rows of `values` [n, ...] at `rows` (i64 [n], in range); the
/// last of equal places stays.
Array put_rows(const Array& table, const Array& rows, const Array& values);

/// bool [n]: false where a later one of `rows` (in [0, count)) is the same.
Array last_of_equals(const Array& rows, Index count);

}  // namespace heed::kernels
