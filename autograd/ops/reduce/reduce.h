// Reductions over any axes (negative ones count from the end; none given: all), f32 and f64. The
// reduced axes stay with size 1 where `keepdim`.
#pragma once

#include "../../tensor.h"

namespace heed {

/// 0 over no elements.
Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
/// Throws ShapeError over no elements.
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
/// 1 over no elements. Its gradient divides by nothing: zeros are right, at any order.
Tensor prod(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
/// log(sum(exp(x))), without overflow; -infinity over no elements and over -infinity alone, which
/// then get no gradient.
Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
/// Largest and smallest; NaN wins; equal places share the gradient. Throw ShapeError over no
/// elements.
Tensor amax(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
Tensor amin(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

/// Sums over the axes that broadcasting `shape` to x's shape would add or stretch: what the engine
/// does to the gradient of a broadcast operand. Throws ShapeError when `shape` does not broadcast
/// to x's.
Tensor sum_to(const Tensor& x, const Shape& shape);

/// i64: index of the largest (smallest) along one axis, or among all in row-major order; the first
/// of equals, a NaN before any number. No gradient. Throw ShapeError over no elements.
Tensor argmax(const Tensor& x, Index axis, bool keepdim = false);
Tensor argmax(const Tensor& x);
Tensor argmin(const Tensor& x, Index axis, bool keepdim = false);
Tensor argmin(const Tensor& x);

/// bool, of any dtype: whether all (any) elements are not 0. Over no elements true (false).
Tensor all(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
Tensor any(const Tensor& x, const Axes& axes = {}, bool keepdim = false);

}  // namespace heed
