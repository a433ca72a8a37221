// Group normalisation (Wu & He 2018): the channels of each example fall into groups, each of which
// is made to have mean 0 and variance 1 over its channels and places; then a weight and a bias a
// channel.
#pragma once

#include "../../tensor.h"

namespace heed {

/// x [N, C, ...], C a multiple of `groups`; weight and bias, where given, [C] of x's dtype; f32 and
/// f64. Throws ShapeError, DTypeError, ValueError for groups < 1 and for a negative eps.
Tensor group_norm(const Tensor& x, Index groups, const Tensor& weight = Tensor(),
                  const Tensor& bias = Tensor(), double eps = 1e-5);

/// The definition, in plain operators.
Tensor group_norm_plain(const Tensor& x, Index groups, const Tensor& weight = Tensor(),
                        const Tensor& bias = Tensor(), double eps = 1e-5);

}  // namespace heed
