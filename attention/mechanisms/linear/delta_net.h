// DeltaNet (Schlag et al. 2021, "Linear Transformers are secretly fast weight programmers"; in
// chunks: Yang et al. 2024): what a key says is overwritten, not added to, by a share beta:
//
//   S_t = S_{t-1} + beta_t k_t (v_t - S_{t-1}^T k_t)^T
//       = (I - beta_t k_t k_t^T) S_{t-1} + beta_t k_t v_t^T
//   y_t = S_t^T q_t,  beta_t = sigmoid(x_t W^beta)
//   q, k = silu(conv(x W)) of length 1,  v = silu(conv(x W)),  conv over the last steps
//   context = norm_h(y_h) W^O,  norm: RMS in each head
//
// x [B, T, E] -> context [B, T, E], weights [B, H, T, T], of any sign. Always causal. O(T E D) and
// O(T E C) for chunks of C, memory O(T).
#pragma once

#include "../../../nn/layer_norm.h"
#include "fast_weights_attention.h"
#include "short_convolution.h"

namespace heed::attention {

class DeltaNet : public FastWeightsAttention {
 public:
  /// `convolution`: its steps. Throws ValueError as FastWeightsAttention and ShortConvolution.
  explicit DeltaNet(const LinearOptions& options, Index convolution = 4);

  nn::Linear &q_proj, &k_proj, &v_proj;
  ShortConvolution &q_conv, &k_conv, &v_conv;
  nn::Linear& beta_proj;
  nn::RMSNorm& norm;
  nn::Linear& out_proj;

 protected:
  DeltaNet(const char* name, const LinearOptions& options, Index convolution);
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
