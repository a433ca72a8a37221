// Reductions over any axes (negative ones count from the end; none given: all), f32 and f64. The
// reduced axes stay with size 1 where `keepdim`.
#pragma once

#include "../tensor.h"

namespace heed {

/// 0 over no elements.
Tensor sum(const Tensor& x, const std::vector<Index>& axes = {}, bool keepdim = false);
/// Throws ShapeError over no elements.
Tensor mean(const Tensor& x, const std::vector<Index>& axes = {}, bool keepdim = false);
/// Largest and smallest; NaN wins; equal places share the gradient. Throw ShapeError over no
/// elements.
Tensor amax(const Tensor& x, const std::vector<Index>& axes = {}, bool keepdim = false);
Tensor amin(const Tensor& x, const std::vector<Index>& axes = {}, bool keepdim = false);

/// Sums over the axes that broadcasting `shape` to x's shape would add or stretch: what the engine
/// does to the gradient of a broadcast operand. Throws ShapeError when `shape` does not broadcast
/// to x's.
Tensor sum_to(const Tensor& x, const Shape& shape);

/// i64: index of the largest along one axis, the first of equals. No gradient.
Tensor argmax(const Tensor& x, Index axis, bool keepdim = false);

}  // namespace heed
