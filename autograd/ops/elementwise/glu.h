// Gated linear unit (Dauphin et al. 2017): one half of an axis opens and shuts the other,
// glu(a, b) = a * sigmoid(b).
#pragma once

#include "../../tensor.h"

namespace heed {

/// x's first half along `axis` times the sigmoid of its second. Throws ShapeError unless the axis
/// is even, DTypeError.
Tensor glu(const Tensor& x, Index axis = -1);

}  // namespace heed
