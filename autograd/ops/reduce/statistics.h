// Spread and length over any axes (negative ones count from the end; none given: all), f32 and f64.
// The reduced axes stay with size 1 where `keepdim`.
#pragma once

#include <concepts>

#include "../../tensor.h"

namespace heed {

/// sum((x - mean)^2) / (n - correction). Throws ShapeError over no elements, ValueError unless
/// 0 <= correction < n.
Tensor var(const Tensor& x, const Axes& axes = {}, bool keepdim = false, Index correction = 1);
template <std::same_as<bool> T>
Tensor var(const Tensor&, const Axes&, T, T,
           Say<"var(x, axes, keepdim, correction): unbiased is 1"> = {}) = delete;

/// The root of var; where that is 0 its gradient is 0. PyTorch's std.
Tensor stddev(const Tensor& x, const Axes& axes = {}, bool keepdim = false, Index correction = 1);
template <std::same_as<bool> T>
Tensor stddev(const Tensor&, const Axes&, T, T,
              Say<"stddev(x, axes, keepdim, correction): unbiased is 1"> = {}) = delete;

/// stddev() by PyTorch's name: heed::std(x), x.std(). (`std(x)` alone is the namespace.)
inline Tensor std(const Tensor& x, const Axes& axes = {}, bool keepdim = false,
                  Index correction = 1) {
  return stddev(x, axes, keepdim, correction);
}

/// sum(|x|^p)^(1/p); the largest (smallest) |x| for p = infinity (-infinity), which share the
/// gradient among equals; for p = 0 how many are not 0, without a gradient. The gradient is 0 where
/// the norm is 0 and for elements that are 0. Over no elements 0, but ShapeError for p < 0 and
/// infinity. Throws ValueError for NaN.
Tensor norm(const Tensor& x, double p = 2, const Axes& axes = {}, bool keepdim = false);

}  // namespace heed
