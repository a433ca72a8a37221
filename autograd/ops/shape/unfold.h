// Sliding windows along one axis, and their adjoint.
#pragma once

#include "../../tensor.h"

namespace heed {

/// The windows [i step, i step + size) of `axis`, as a view: the axis counts windows, their
/// elements are a new last axis. x [.., T, ..] -> [.., (T - size) / step + 1, .., size]. Any dtype.
/// Throws ValueError unless size and step are positive, ShapeError for a size above the axis'.
Tensor unfold(const Tensor& x, Index axis, Index size, Index step);

/// The sum of windows, each at its place, in zeros of `length`: unfold()'s adjoint.
/// x [.., n, .., size] -> [.., length, ..], f32 or f64. `axis` is one of the result's. Throws
/// ShapeError unless n is the number of windows that unfold() would make.
Tensor overlap_add(const Tensor& x, Index axis, Index length, Index step);

}  // namespace heed
