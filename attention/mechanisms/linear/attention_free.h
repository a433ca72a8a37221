// The attention free Transformer's simple form (Zhai et al. 2021, "An attention free Transformer",
// AFT-simple): a softmax over the steps for every feature, which no query enters:
//
//   y_t = sigmoid(q_t) o sum_s exp(k_s) o v_s / sum_s exp(k_s),  context = y W^O
//
// over all s, or s <= t under a causal mask. x [B, T, E] -> context [B, T, E], weights exp(k_s) /
// sum [B, E, T, T], one for each feature. Linear attention whose heads are one feature wide, and
// whose query is 1. So that exp(k) never overflows, sums are of exp(k_s - m_t), m_t the largest k
// so far, and what was summed before decays by exp(m_{t-1} - m_t). O(T E C) for chunks of C, memory
// O(T). With learned positions, AFT-full and AFT-local: attention_free_full.h.
#pragma once

#include "fast_weights_attention.h"

namespace heed::attention {

class AttentionFree : public FastWeightsAttention {
 public:
  /// Throws ValueError unless the width and the chunk are positive.
  explicit AttentionFree(Index width, Index chunk = 64, DType dtype = DType::f32);

  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;

 private:
  Steps steps(const Tensor& x, PastSteps& past) const override;
  Tensor output(const Tensor& y, const Tensor& x, const Tensor& beside) const override;
};

}  // namespace heed::attention
