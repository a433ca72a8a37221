// Coverage (See et al. 2017, "Get To The Point", section 2.3): the decoder sees how much it has
// attended to each place already, and pays for doing so again.
//
//   c^t = sum_{t' < t} a^t'
//   e_i^t = v^T tanh(W_h h_i + W_s s_t + w_c c_i^t + b),   a^t = softmax(e^t)
//   covloss_t = sum_i min(a_i^t, c_i^t)
//
// h: keys [B, K, dk], s: query [B, Q, dq], values [B, K, dv].
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

/// The score alone: what it remembers is c, the sum of all weights so far; undefined is 0.
class CoverageScore : public Score {
 public:
  CoverageScore(Index query_width, Index key_width, Index hidden, DType dtype = DType::f32);

  nn::Linear& query_projection;  ///< W_s [hidden, dq], b
  nn::Linear& key_projection;    ///< W_h [hidden, dk]
  Tensor& coverage_vector;       ///< w_c [hidden]
  Tensor& score_vector;          ///< v [hidden]

  Tensor prepare(const Tensor& keys) const override;  ///< [.., K, hidden]
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& past = Tensor()) const override;
  bool prepares() const override { return true; }
  bool uses_previous_weights() const override { return true; }
  Tensor remember(const Tensor& past, const Tensor& weights) const override;
};

/// What one step gives, and all steps together, which then stand behind B as an axis Q.
struct CoverageOutput {
  Tensor context;   ///< [B, dv]
  Tensor weights;   ///< [B, K]
  Tensor loss;      ///< [B]
  Tensor coverage;  ///< [B, K], of the next step in both cases
};

class Coverage : public nn::Module {
 public:
  /// Throws ValueError unless widths are positive.
  Coverage(Index query_width, Index key_width, Index hidden, DType dtype = DType::f32);

  CoverageScore& score;

  /// Keys prepared once for all steps. The mask is that of keys, whatever the query.
  Memory prepare(const Tensor& keys, const Tensor& values, const Mask& mask = Mask()) const;
  /// query [B, dq]; `past` holds the coverage and gets the next. Throws ShapeError, DTypeError.
  CoverageOutput step(const Tensor& query, const Memory& memory, Past& past,
                      const Terms& terms = {}) const;
  /// All steps of query [B, Q, dq], one after the other.
  CoverageOutput operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                            const Mask& mask = Mask()) const;
};

}  // namespace heed::attention
