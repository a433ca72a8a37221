// The feature-wise (multi-dimensional) score, one for each feature of the values (Shen et al. 2018,
// "DiSAN"; there tanh may be any activation):
//
//   e_ij = W2 tanh(W1 [q_i; k_j] + b1) + b2  in R^d,   context_i = sum_j weights_ij o v_j
//
// scores and weights are [.., Q, K, d]: O(Q K (hidden + d)) memory.
#pragma once

#include "../../nn/linear.h"
#include "../score.h"

namespace heed::attention {

class FeatureWise : public Score {
 public:
  /// Throws ValueError unless widths are positive.
  FeatureWise(Index query_width, Index key_width, Index hidden, Index value_width,
              DType dtype = DType::f32);

  nn::Linear& query_projection;  ///< W1's part for q [hidden, dq], b1
  nn::Linear& key_projection;    ///< W1's part for k [hidden, dk]
  nn::Linear& out;               ///< W2 [d, hidden], b2

  Tensor prepare(const Tensor& keys) const override;  ///< [.., K, hidden]
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& past = Tensor()) const override;
  bool prepares() const override { return true; }
  bool per_feature() const override { return true; }
};

}  // namespace heed::attention
