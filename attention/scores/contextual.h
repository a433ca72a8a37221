// Contextual position encoding (CoPE; Golovneva et al. 2024, "Contextual Position Encoding:
// Learning to Count What's Important", eq. 3 to 6): how far a key lies behind its query is counted
// in those keys on the way that the query lets through, so that a position may be the n-th sentence
// or name.
//
//   g_ij = sigmoid(q_i . k_j),   p_ij = min(sum_{t = j .. i} g_it, P - 1)
//   e_ij = scale q_i . k_j + q_i . E_{p_ij},   E between whole positions in proportion
//
// q [.., Q, D], k [.., K, D] -> [.., Q, K]; E is [P, D], one for all heads. Query i stands at place
// i + K - Q of the keys; what comes after it counts for nothing, and is at position 0 itself. Keys
// that are masked for the query count on the way as keys of zeros. O(Q K D + Q P D), a block.
#pragma once

#include <optional>

#include "../score.h"

namespace heed::attention {

class ContextualPositions : public Score {
 public:
  /// Of queries of this width; positions up to `positions` - 1. Without a scale 1 / sqrt(D). Throws
  /// ValueError unless both sizes are positive and the scale is finite.
  ContextualPositions(Index width, Index positions, std::optional<double> scale = std::nullopt,
                      DType dtype = DType::f32);

  Tensor& positions;  ///< E [P, D], at first 0

  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& past = Tensor()) const override;
  Tensor among(const Tensor& query, const Tensor& keys, const Tensor& allowed,
               const Tensor& past = Tensor()) const override;

 private:
  double scale_;
};

}  // namespace heed::attention
