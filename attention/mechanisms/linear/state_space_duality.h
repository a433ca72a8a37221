// The layer of Mamba-2 (Dao and Gu 2024, "Transformers are SSMs"): a state space model whose
// transition is a number, and which is therefore attention with decaying weights (SSD):
//
//   S_t = exp(Delta_t A_h) S_{t-1} + B_t (Delta_t x'_t)^T,  y_t = S_t^T C_t + D_h x'_t
//   Delta_t = softplus(x W^Delta + b),  A_h = -exp(a_h);  B and C are the same for all heads
//   x', B, C = silu(conv(x W)), a short convolution of each feature over the last steps
//   context = norm(y o silu(x W^z)) W^O,  norm: RMS over all heads
//
// x [B, T, E] -> context [B, T, E], weights [B, H, T, T], of any sign. Always causal. O(T E D),
// memory O(T). In our words C is q, B is k, Delta x' is v, Delta A the log of the decay; the
// paper's N is K and its P is V; it takes H V = 2 E: value_head_width.
#pragma once

#include "../../../nn/layer_norm.h"
#include "fast_weights_attention.h"
#include "short_convolution.h"

namespace heed::attention {

class StateSpaceDuality : public FastWeightsAttention {
 public:
  /// `convolution`: its steps. Throws ValueError as FastWeightsAttention and ShortConvolution.
  explicit StateSpaceDuality(const LinearOptions& options, Index convolution = 4);

  nn::Linear& in_proj;  ///< of x', B and C
  ShortConvolution& convolution;
  nn::Linear& dt_proj;  ///< W^Delta [H, E] and b
  nn::Linear& z_proj;
  Tensor& A_log;  ///< a [H]
  Tensor& D;      ///< [H]
  nn::RMSNorm& norm;
  nn::Linear& out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
