// Scores by place:
//
//   LocationBased  e_j = w_j . q: from the query alone, up to a greatest number of keys
//                  (Luong et al. 2015, eq. 8)
//   LocationAware  e_ij = v^T tanh(W q_i + V k_j + U f_ij + b),  f_i = F * alpha_{i-1}: a
//                  convolution of the weights that the last query got (Chorowski et al. 2015); for
//                  the first query f is 0
#pragma once

#include "../../nn/conv.h"
#include "../../nn/linear.h"
#include "../score.h"

namespace heed::attention {

class LocationBased : public Score {
 public:
  /// It looks at the first `max_keys` keys; those beyond are ignored, as in the paper. Throws
  /// ValueError unless both are positive.
  LocationBased(Index query_width, Index max_keys, DType dtype = DType::f32);

  Tensor& weight;  ///< [max_keys, dq]

  /// [.., K, dq]: the places' rows of the weight, zeros beyond. Only the number of keys counts.
  /// Throws ShapeError.
  Tensor prepare(const Tensor& keys) const override;
  Index reach() const override { return weight.size(0); }
  std::optional<Form> form(const Tensor& query, const Tensor& prepared) const override;
  bool prepares() const override { return true; }
};

struct LocationAwareOptions {
  Index query_width = 0, key_width = 0, hidden = 0;
  Index filters = 10;
  Index kernel = 201;  ///< how far the convolution sees; odd, so that it has a middle
  DType dtype = DType::f32;
};

class LocationAware : public Score {
 public:
  /// Throws ValueError unless all numbers are positive and `kernel` is odd.
  explicit LocationAware(const LocationAwareOptions& options);

  nn::Linear& query_projection;     ///< W [hidden, dq], b
  nn::Linear& key_projection;       ///< V [hidden, dk]
  nn::Conv1d& location;             ///< F [filters, 1, kernel]
  nn::Linear& location_projection;  ///< U [hidden, filters]
  Tensor& score_vector;             ///< v [hidden]

  Tensor prepare(const Tensor& keys) const override;  ///< [.., K, hidden]
  /// past [.., Q, K], or [.., Q, K + kernel - 1] with those of kernel / 2 places before the keys
  /// and behind them; undefined: 0.
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& past = Tensor()) const override;
  bool prepares() const override { return true; }
  bool uses_previous_weights() const override { return true; }
};

}  // namespace heed::attention
