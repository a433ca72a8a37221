// The time mixing of RWKV-6, "Finch" (Peng et al. 2024, "Eagle and Finch"): a state that every
// feature forgets at a rate which x sets, and a bonus u for the step that is being read:
//
//   y_t = (S_{t-1} + diag(u) k_t v_t^T)^T r_t,  S_t = diag(w_t) S_{t-1} + k_t v_t^T
//   r, k, v, g = ddlerp(x_t, x_{t-1}) W,  w_t = exp(-exp(lora_w(ddlerp(x_t, x_{t-1}))))
//   ddlerp(a, b) = a + (b - a) o lora(a + (b - a) o mu_x),  lora(z) = mu + tanh(z A) B
//   context = (norm_h(y_h) o silu(g)) W^O,  norm: mean 0 and variance 1 in each head, with weights
//
// x [B, T, E] -> context [B, T, E], weights [B, H, T, T], of any sign. Always causal. O(T E D) and
// O(T E C) for chunks of C, memory O(T). r is q of fast_weights.h, u its bonus, log w its
// log_decay; each of r, k, v, g, w has a lora of its own.
#pragma once

#include "../../../nn/layer_norm.h"
#include "fast_weights_attention.h"

namespace heed::attention {

/// mu + tanh(z A) B
class LowRankMix : public nn::Module {
 public:
  LowRankMix(Index in, Index rank, Index out, DType dtype);
  Tensor& mu;  ///< [out]
  nn::Linear &down, &up;
  Tensor operator()(const Tensor& z) const;
};

class RWKV6 : public FastWeightsAttention {
 public:
  /// `rank`: of the loras. Throws ValueError as FastWeightsAttention and Linear.
  explicit RWKV6(const LinearOptions& options, Index rank = 32);

  Tensor& mu_x;  ///< [E]
  LowRankMix &r_mix, &k_mix, &v_mix, &g_mix, &w_mix;
  nn::Linear &r_proj, &k_proj, &v_proj, &g_proj;
  LowRankMix& decay;                ///< lora_w, to [H K]
  Tensor& bonus;                    ///< u [H, K]
  Tensor &norm_weight, &norm_bias;  ///< [H V]
  nn::Linear& out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
