// What becomes of the losses of a batch, as in PyTorch.
#pragma once

#include "../../tensor.h"

namespace heed {

/// none: each loss by itself; mean: their mean; sum: their sum.
enum class Reduction : std::uint8_t { none, mean, sum };

/// `losses`, reduced. Throws ShapeError, in `op`'s name, for the mean of no losses.
Tensor reduce_losses(const char* op, const Tensor& losses, Reduction reduction);

}  // namespace heed
