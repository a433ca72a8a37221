// Retention (Sun et al. 2023, "Retentive network"): attention without softmax whose weights fall
// with the distance, each head at its own rate:
//
//   S_t = gamma_h S_{t-1} + k_t v_t^T,  y_t = S_t^T q_t,  gamma_h = 1 - 2^(-5-h),  h = 0 .. H - 1
//   q_t, k_t turned by their place (rotary), k divided by sqrt(K)
//   context = (silu(x W^G) o norm_h(y_h)) W^O,  norm: to mean 0 and variance 1 in each head
//
// x [B, T, E] -> context [B, T, E], weights gamma^(t-s) q_t . k_s [B, H, T, T]. Always causal. O(T
// E D), memory O(T). The paper's X is our x; its GroupNorm has a group for each head, as here, and
// no weight.
#pragma once

#include "fast_weights_attention.h"

namespace heed::attention {

class RetNet : public FastWeightsAttention {
 public:
  /// Throws ValueError as FastWeightsAttention, and for an odd K.
  explicit RetNet(const LinearOptions& options);

  nn::Linear &q_proj, &k_proj, &v_proj, &g_proj, &out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
  Tensor log_gamma_;  // [H, 1, 1]
};

}  // namespace heed::attention
