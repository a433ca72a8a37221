// Bi-directional attention flow, BiDAF (Seo et al. 2017, "Bidirectional Attention Flow for Machine
// Comprehension", section 2, eq. 1 to 3): each word of a context looks at the query, and the query
// at the words of the context that it cares for most.
//
//   S_tj = w . [h_t; u_j; h_t o u_j]
//   context to query   a_t = softmax_j(S_tj),           u~_t = sum_j a_tj u_j
//   query to context   b = softmax_t(max_j S_tj),       h~ = sum_t b_t h_t, the same for all t
//   G_t = [h_t; u~_t; h_t o u~_t; h_t o h~]
//
// context H [B, T, d], query U [B, J, d] -> G [B, T, 4 d], weights a [B, T, J], b [B, T]; O(T J d).
// The paper's 2d is d here. Without a bias, as there. A context or a query without a word gives 0
// for the other's part.
#pragma once

#include "../../attend.h"

namespace heed::attention {

/// S of BiDAF, without the block [Q, K, 3 d]: w_1 . q + w_2 . k + (w_3 o q) . k.
class Trilinear : public Score {
 public:
  /// Throws ValueError unless the width is positive.
  explicit Trilinear(Index width, DType dtype = DType::f32);

  Tensor& weight;  ///< w [3, d], a row for each of the three

  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& past = Tensor()) const override;
};

struct BiDirectionalOutput : Attended {
  Tensor of_context = {};  ///< b [B, T]; undefined unless weights are asked for
};

class BiDirectional : public nn::Module {
 public:
  explicit BiDirectional(Index width, DType dtype = DType::f32);

  Trilinear& score;

  /// Masks broadcast to [B, T] and [B, J]. Throws ShapeError, DTypeError.
  BiDirectionalOutput operator()(const Tensor& context, const Tensor& query,
                                 const Mask& context_mask = Mask(), const Mask& query_mask = Mask(),
                                 bool need_weights = false) const;
};

}  // namespace heed::attention
