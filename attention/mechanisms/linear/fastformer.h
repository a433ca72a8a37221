// Fastformer (Wu et al. 2021, "Fastformer: additive attention can be all you need"): two poolings
// in the place of pairs. In each head, for all t:
//
//   alpha = softmax_t(w_q . q_t / sqrt(D)),  q = sum_t alpha_t q_t
//   p_t = q o k_t,  beta = softmax_t(w_k . p_t / sqrt(D)),  k = sum_t beta_t p_t
//   context_t = (k o v_t) W^O + q_t
//
// x [B, T, E] -> context [B, T, E]; weights are beta, the same for all queries, [B, H, T, T]. It
// looks both ways: no causal mask. O(T E), memory O(T).
#pragma once

#include "../../../nn/linear.h"
#include "../transformer/self_attention.h"

namespace heed::attention {

class Fastformer : public SelfAttention {
 public:
  /// Throws ValueError unless sizes are positive and the heads divide the width.
  Fastformer(Index width, Index heads, DType dtype = DType::f32);

 private:
  Index heads_;

 public:
  nn::Linear &q_proj, &k_proj, &v_proj, &out_proj;
  Tensor &query_vector, &key_vector;  ///< w_q, w_k [H, D]

  /// Throws ShapeError, DTypeError, ValueError for a cache, and as LinearCall.
  Attended operator()(const Tensor& x, const Terms& terms = {},
                      KeyValueCache* cache = nullptr) const override;
};

}  // namespace heed::attention
