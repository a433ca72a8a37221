// Gated DeltaNet (Yang et al. 2025): DeltaNet whose state also forgets, each head by a number a
// step:
//
//   S_t = alpha_t (I - beta_t k_t k_t^T) S_{t-1} + beta_t k_t v_t^T,  y_t = S_t^T q_t
//   log alpha_t = -exp(a_h) softplus(x_t W^alpha + b_h)
//   context = (norm_h(y_h) o silu(x W^G)) W^O,  the rest as delta_net.h has it
//
// x [B, T, E] -> context [B, T, E], weights [B, H, T, T], of any sign. Always causal. O(T E D) and
// O(T E C) for chunks of C, memory O(T).
#pragma once

#include "delta_net.h"

namespace heed::attention {

class GatedDeltaNet : public DeltaNet {
 public:
  /// Throws as DeltaNet.
  explicit GatedDeltaNet(const LinearOptions& options, Index convolution = 4);

  nn::Linear& alpha_proj;  ///< W^alpha [H, E] and b
  nn::Linear& g_proj;
  Tensor& A_log;  ///< a [H]

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
