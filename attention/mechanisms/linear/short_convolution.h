// A causal convolution of a few steps, a feature by itself, before an activation: what DeltaNet and
// Mamba put between a projection and its use.
//
//   y_t = silu(sum_j w_j o x_{t - C + 1 + j}),  j = 0 .. C - 1,   x, y [B, T, width], w [width, C]
#pragma once

#include "../../../nn/module.h"
#include "past_steps.h"

namespace heed::attention {

class ShortConvolution : public nn::Module {
 public:
  /// Throws ValueError unless both sizes are positive.
  ShortConvolution(Index width, Index steps, DType dtype = DType::f32);

  Tensor& weight;  ///< [width, C]

  Tensor operator()(const Tensor& x, PastSteps& past) const;
};

}  // namespace heed::attention
