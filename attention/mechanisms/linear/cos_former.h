// cosFormer (Qin et al. 2022, "Rethinking softmax in attention"): linear attention with features
// relu(x), whose weights fall with the distance as a cosine, which is a sum of two products:
//
//   w_ij = relu(q_i) . relu(k_j) cos(pi (i - j) / 2 M)
//        = (relu(q_i) cos a_i) . (relu(k_j) cos a_j) + (relu(q_i) sin a_i) . (relu(k_j) sin a_j),
//   a_i = pi i / 2 M,    y_i = sum_j w_ij v_j / sum_j w_ij
//
// over all j, or j <= i under a causal mask. x [B, T, E], T <= M -> context [B, T, E], weights
// [B, H, T, T]. O(T E D), memory O(T).
#pragma once

#include "fast_weights_attention.h"

namespace heed::attention {

class CosFormer : public FastWeightsAttention {
 public:
  /// `max_length`: M. Throws ValueError as FastWeightsAttention, and unless it is positive.
  CosFormer(const LinearOptions& options, Index max_length);

  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;

 private:
  // Throws ShapeError beyond M.
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
  Index max_length_;
};

}  // namespace heed::attention
