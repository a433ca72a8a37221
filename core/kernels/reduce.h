// Reductions over any axes, f32 and f64, any strides. Large reductions are cut into pieces by shape
// alone, so the result is the same bits for any number of threads.
#pragma once

#include <vector>

#include "../array.h"

namespace heed::kernels {

enum class Reduce : std::uint8_t { sum, max, min };

/// Reduces `axes` (negative count from the end; empty: all of them). The reduced axes stay with
/// size 1 where `keepdim`. sum over nothing is 0; max and min throw ShapeError there. NaN comes out
/// of max and min.
Array reduce(Reduce op, const Array& x, const std::vector<Index>& axes, bool keepdim);

/// Sums over the axes that broadcasting `shape` to x's shape would add or stretch.
Array sum_to(const Array& x, const Shape& shape);

/// Index (i64) of the largest element along one axis, the first of equals; NaN counts as largest.
Array argmax(const Array& x, Index axis, bool keepdim);

/// `axes` made non-negative, sorted, checked for range and repetition; all axes for an empty list.
std::vector<Index> normalize_axes(const char* op, const std::vector<Index>& axes, Index rank);

}  // namespace heed::kernels
