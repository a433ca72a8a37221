// The score that monotonic attention is trained with (Raffel et al. 2017, section 2.4), an additive
// one whose size and middle are learnt apart:
//
//   e = g v^T / ||v|| tanh(W q + V k + b) + r
//
// softmax would not see r; sigmoid does. It begins well below 0, -4 in the paper, so that at first
// hardly any place stops the query, and those far from the beginning are tried too. g begins at
// 1 / sqrt(hidden), so that e is of size 1 at most.
#pragma once

#include "../../nn/linear.h"
#include "../score.h"

namespace heed::attention {

struct MonotonicEnergyOptions {
  Index query_width = 0, key_width = 0, hidden = 0;
  double offset = -4;  ///< what r begins with
  DType dtype = DType::f32;
};

class MonotonicEnergy : public Score {
 public:
  /// Throws ValueError unless widths are positive and the offset is finite.
  explicit MonotonicEnergy(const MonotonicEnergyOptions& options);

  nn::Linear& query_projection;  ///< W [hidden, dq], b
  nn::Linear& key_projection;    ///< V [hidden, dk]
  Tensor& score_vector;          ///< v [hidden]
  Tensor& gain;                  ///< g []
  Tensor& offset;                ///< r []

  Tensor prepare(const Tensor& keys) const override;  ///< [.., K, hidden]
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& past = Tensor()) const override;
  bool prepares() const override { return true; }
};

}  // namespace heed::attention
