// Luna's causal attention (Ma et al. 2021, "Luna: linear unified nested attention", section 3.3):
// the sequence packed into l learned places as far as it has come, the mean over its steps so far,
// and unpacked at once:
//
//   f(X, Y, Z)_t = 1/t x_t sum_{s <= t} y_s^T z_s
//   A_pack = softplus(P (X W^PK)^T / sqrt(K))                    [l, T]
//   A_unpack = softmax(f(X W^Q, X W^K, A_pack^T) / sqrt(K))      [T, l]
//   Y = f(A_unpack, A_pack^T, X W^V),  context = Y W^O
//
// A softmax of the pack would know of steps that come later; the paper's activation stands in its
// place. P [H, l, K] is learned, each layer's own. t counts the steps that are there: a masked one
// adds nothing. x [B, T, E] -> context [B, T, E], weights [B, H, T, T] 1/t A_unpack A_pack, which
// sum to anything. Both f are fast weights, with l in the place of V, then of K: O(T E (l + C)) for
// chunks of C, memory O(T); a cache keeps two states and the count. Both ways: luna.h.
#pragma once

#include "fast_weights_attention.h"

namespace heed::attention {

class LunaCausal : public FastWeightsAttention {
 public:
  /// `length`: l. Throws ValueError as FastWeightsAttention, and unless it is positive.
  LunaCausal(const LinearOptions& options, Index length);

  Tensor& places;         ///< P
  nn::Linear& pack_proj;  ///< W^PK
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
