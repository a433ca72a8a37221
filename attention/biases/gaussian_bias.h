// Scores that fall off around a place: -(j - c_i)^2 / (2 sigma^2) (Luong et al. 2015, eq. 10), with
// gradients to c.
#pragma once

#include "../../autograd/tensor.h"

namespace heed::attention {

/// centres [.., Q] (places, not whole numbers only) -> [.., Q, keys]. Throws ValueError unless
/// sigma is positive, ShapeError for rank 0, DTypeError.
Tensor gaussian_bias(const Tensor& centres, Index keys, double sigma);

}  // namespace heed::attention
