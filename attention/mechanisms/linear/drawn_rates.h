// How fast gates forget at first, as Mamba draws it.
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

/// log(1 .. 16), uniform in between, [heads].
Tensor drawn_log_rates(Index heads, DType dtype);
/// The b with softplus(b) = 0.001 .. 0.1, uniform in its log, [heads].
Tensor drawn_step_bias(Index heads, DType dtype);

}  // namespace heed::attention
