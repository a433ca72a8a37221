// Gated linear attention, GLA (Yang et al. 2024, "Gated linear attention Transformers with
// hardware-efficient training"): every feature of the state forgets by a gate of its own, which x
// sets:
//
//   S_t = diag(alpha_t) S_{t-1} + k_t v_t^T,  y_t = S_t^T q_t
//   alpha_t = sigmoid(x_t W^a1 W^a2 + b)^(1/16),  W^a1 of low rank
//   context = (silu(x W^r + b^r) o norm_h(y_h)) W^O,  norm: RMS in each head
//
// x [B, T, E] -> context [B, T, E], weights [B, H, T, T], of any sign. Always causal. O(T E D) and
// O(T E C) for chunks of C, memory O(T). The paper takes K = E / (2 H): head_width;
// it writes a layer norm where its authors' program, and this, has that without mean and bias.
#pragma once

#include "../../../nn/layer_norm.h"
#include "fast_weights_attention.h"

namespace heed::attention {

class GatedLinearAttention : public FastWeightsAttention {
 public:
  /// `rank`: of the gate. Throws ValueError as FastWeightsAttention and Linear.
  explicit GatedLinearAttention(const LinearOptions& options, Index rank = 16);

  nn::Linear &q_proj, &k_proj, &v_proj;
  nn::Linear &gate_down, &gate_up;  ///< W^a1; W^a2 and b
  nn::Linear& r_proj;
  nn::RMSNorm& norm;
  nn::Linear& out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
