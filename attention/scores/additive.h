// The additive score (concat, MLP), Bahdanau et al. 2014, A.1.2:
//
//   e = v^T tanh(W1 q + W2 k + b)
//
// W2 k is computed once for each sequence of keys, by prepare().
#pragma once

#include "../../nn/linear.h"
#include "../score.h"

namespace heed::attention {

class Additive : public Score {
 public:
  /// Without a bias as in the paper, or with one. Throws ValueError unless widths are positive.
  Additive(Index query_width, Index key_width, Index hidden, bool with_bias = false,
           DType dtype = DType::f32);

  nn::Linear& query_projection;  ///< W1 [hidden, dq], b
  nn::Linear& key_projection;    ///< W2 [hidden, dk]
  Tensor& score_vector;          ///< v [hidden]

  Tensor prepare(const Tensor& keys) const override;  ///< [.., K, hidden]
  std::optional<Form> form(const Tensor& query, const Tensor& prepared) const override;
  bool prepares() const override { return true; }
};

}  // namespace heed::attention
