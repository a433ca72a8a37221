// Batch normalisation (Ioffe & Szegedy 2015): each channel made to have mean 0 and variance 1 over
// the batch and its places in training, by running averages of both in evaluation; then a weight
// and a bias a channel.
#pragma once

#include "../../tensor.h"

namespace heed {

/// x [N, C, ...]; all others, where given, [C] of x's dtype; f32 and f64. With `training` the
/// batch's own mean and (biased) variance count, and the running ones, where given, are moved
/// towards them in place by `momentum`, the variance unbiased, as in PyTorch; without, the running
/// ones count. Throws ShapeError, DTypeError, GradError for running averages that require a
/// gradient; ValueError when they are missing in evaluation, for a batch of one value a channel in
/// training, a momentum outside [0, 1], a negative eps.
Tensor batch_norm(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                  const Tensor& weight = Tensor(), const Tensor& bias = Tensor(),
                  bool training = false, double momentum = 0.1, double eps = 1e-5);

/// The definition with the batch's moments, in plain operators.
Tensor batch_norm_plain(const Tensor& x, const Tensor& weight = Tensor(),
                        const Tensor& bias = Tensor(), double eps = 1e-5);

}  // namespace heed
