// Elements in another order, or several times. Any dtype; all copy. Axes may be negative. Throw
// ShapeError for what does not fit.
#pragma once

#include "../../tensor.h"

namespace heed {

/// The order along each of the axes reversed; none: as it is.
Tensor flip(const Tensor& x, const Axes& axes);
/// Moves each element `shifts[i]` places up axes[i]; what leaves the end comes in at the start.
/// Without axes x is rolled as one row. Throws ValueError unless there is a shift for each axis.
Tensor roll(const Tensor& x, const Axes& shifts, const Axes& axes = {});
/// x side by side, repeats[i] times along axis i; more repeats than axes add leading ones. Throws
/// ShapeError for fewer, ValueError for negative ones.
Tensor repeat(const Tensor& x, const std::vector<Index>& repeats);
/// repeat() where missing leading repeats are 1.
Tensor tile(const Tensor& x, const std::vector<Index>& repeats);
/// Each place of an axis `repeats` times in a row. Throws ValueError for a negative number.
Tensor repeat_interleave(const Tensor& x, Index repeats, Index axis);

}  // namespace heed
