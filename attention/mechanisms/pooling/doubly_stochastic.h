// The doubly stochastic penalty (Xu et al. 2015, section 4.2.1): soft attention's weights sum to 1
// over places; let them also sum to about 1 over the steps, so that all of an image is looked at.
//
//   sum_i (1 - sum_t alpha_ti)^2
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

/// weights [B, T, K] -> [B], to be added to the loss with a factor. `steps` (bool [B, T]) and
/// `places` (bool [B, K]) say which are real; undefined: all. What stands elsewhere, NaN included,
/// changes nothing. Throws ShapeError, DTypeError.
Tensor doubly_stochastic_penalty(const Tensor& weights, const Tensor& steps = Tensor(),
                                 const Tensor& places = Tensor());

}  // namespace heed::attention
