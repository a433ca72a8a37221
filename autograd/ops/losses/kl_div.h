// Kullback-Leibler divergence of log-probabilities from target probabilities.
#pragma once

#include "reduction.h"

namespace heed {

/// target (log target - input), where `input` holds log-probabilities; a target of 0 gives 0
/// and gets a gradient of 0. With `log_target` the target holds logarithms too: exp(target) (target
/// - input). One shape and dtype, both with gradients. The mean is over all elements, as PyTorch's:
/// the divergence a row is sum / rows. Throws ShapeError, DTypeError.
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
              bool log_target = false);

}  // namespace heed
