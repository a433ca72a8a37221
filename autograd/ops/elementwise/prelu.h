// PReLU (He et al. 2015): x where x > 0, else weight x, with a slope that is learned.
#pragma once

#include "../../tensor.h"

namespace heed {

/// x where x > 0, else weight x: weight [1], or [C] along axis 1 of x. Where x is 0 its gradient is
/// that of the lower side, as PyTorch's. Throws ShapeError, DTypeError.
Tensor prelu(const Tensor& x, const Tensor& weight);

}  // namespace heed
