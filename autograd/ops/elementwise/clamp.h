// clamp(x, min, max) = min(max(x, min), max): x held between two bounds; where min > max, the
// result is max. NaN in x or in a bound comes out as NaN, and there x gets no gradient. At a bound x
// keeps the whole gradient, as in PyTorch; a bound gets the gradient where it is the result and x is
// not, and max also where it is below one of the others and the third is NaN.
#pragma once

#include <optional>

#include "../../tensor.h"

namespace heed {

/// A bound left out (std::nullopt) does not bind. An x of i64 stays i64 where bounds are whole
/// numbers, and becomes f32 where one has something behind the point. Throws ValueError when both are.
Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max = {});
inline Tensor clip(const Tensor& x, std::optional<double> min, std::optional<double> max = {}) {
  return clamp(x, min, max);
}
/// Bounds that broadcast with x, of its dtype, f32, f64 or i64; undefined ones do not bind. Throws ValueError when
/// both are, DTypeError, ShapeError.
Tensor clamp(const Tensor& x, const Tensor& min, const Tensor& max);

}  // namespace heed
