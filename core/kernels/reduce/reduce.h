// Reductions over any axes, f32 and f64, any strides. Large reductions are cut into pieces by shape
// alone, so the result is the same bits for any number of threads.
#pragma once

#include <vector>

#include "../../array.h"

namespace heed::kernels {

enum class Reduce : std::uint8_t { sum, max, min, prod };

/// Reduces `axes` (negative count from the end; empty: all of them). The reduced axes stay with
/// size 1 where `keepdim`. Over nothing sum is 0, prod 1; max and min throw ShapeError. NaN comes
/// out of all.
Array reduce(Reduce op, const Array& x, const std::vector<Index>& axes, bool keepdim);

/// Sums over the axes that broadcasting `shape` to x's shape would add or stretch.
Array sum_to(const Array& x, const Shape& shape);

/// Index (i64) of the largest (smallest) element along one axis, the first of equals; a NaN is
/// taken before any number. Throws ShapeError over no elements, in `op`'s name.
Array argmax(const Array& x, Index axis, bool keepdim, const char* op = "argmax");
Array argmin(const Array& x, Index axis, bool keepdim, const char* op = "argmin");

/// bool: whether all (any) elements over `axes` are not 0; any dtype. Over nothing true (false).
Array all(const Array& x, const std::vector<Index>& axes, bool keepdim);
Array any(const Array& x, const std::vector<Index>& axes, bool keepdim);

/// `shape` without `axes` (sorted, not negative), or with 1 in their places.
Shape reduced_shape(const Shape& shape, const std::vector<Index>& axes, bool keepdim);

/// `axes` made non-negative, sorted, checked for range and repetition; all axes for an empty list.
std::vector<Index> normalize_axes(const char* op, const std::vector<Index>& axes, Index rank);

}  // namespace heed::kernels
