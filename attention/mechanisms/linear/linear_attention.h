// Linear attention (Katharopoulos et al. 2020, "Transformers are RNNs"): softmax's exp(q . k)
// replaced by a product of features, so that keys and values are summed up once for all queries:
//
//   y_i = phi(q_i)^T sum_j phi(k_j) v_j^T / (phi(q_i) . sum_j phi(k_j)),   phi(x) = elu(x) + 1
//
// over all j, or j <= i under a causal mask. x [B, T, E] -> context [B, T, E], weights [B, H, T,
// T]. O(T E D), memory O(T); a step of decoding O(E D).
#pragma once

#include "fast_weights_attention.h"

namespace heed::attention {

class LinearAttention : public FastWeightsAttention {
 public:
  /// Throws ValueError as FastWeightsAttention.
  explicit LinearAttention(const LinearOptions& options);

  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
