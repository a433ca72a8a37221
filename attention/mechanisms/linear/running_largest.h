// By what sums of exponentials are kept in range from step to step.
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

/// Less than any number that counts, of steps before which there is none.
inline constexpr double kNoneYet = -1e30;

/// The largest so far along the steps of x [B, T, E], and before them `first` [B, 1, E], if
/// defined: [B, T, E], a constant.
Tensor running_largest(const Tensor& x, const Tensor& first);

}  // namespace heed::attention
