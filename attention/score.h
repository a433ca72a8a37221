// Scores say how well a query and a key match. One interface for all of them: keys are prepared
// once, then scored against any number of queries, at once or step by step.
//
//   query [.., Q, dq], keys [.., K, dk] -> scores [.., Q, K], leading axes (batch, heads) broadcast
//
// Here are the two without parameters; the others stand in scores/:
//   Dot         q . k             Luong et al. 2015
//   ScaledDot   q . k / sqrt(dk)  Vaswani et al. 2017, eq. 1; any other scale on demand
#pragma once

#include <optional>

#include "../autograd/ops/attention.h"
#include "../nn/module.h"
#include "mask.h"

namespace heed::attention {

/// What is added to scores [.., Q, K]; either may be undefined.
struct Added {
  Tensor bias = {};       ///< broadcasts to them
  Tensor diagonals = {};  ///< [.., Q + K - 1], a bias by place alone: see AttentionOptions
};

class Score : public nn::Module {
 public:
  /// Once for each sequence of keys: what operator() takes for them. The keys themselves unless a
  /// score says otherwise; [.., K, any].
  virtual Tensor prepare(const Tensor& keys) const { return keys; }

  /// `last`: for scores that look back, the weights that each query's predecessor got, [.., Q, K];
  /// undefined at the first. Throws ShapeError, DTypeError.
  virtual Tensor operator()(const Tensor& query, const Tensor& prepared,
                            const Tensor& last = Tensor()) const = 0;

  /// Softmax attention in one pass over tiles, in O(Q + K) memory; undefined where a score has no
  /// such form. values [.., K, dv] -> [.., Q, dv]; `call`, where given, notes what was done.
  virtual Tensor context(const Tensor& query, const Tensor& prepared, const Tensor& values,
                         const Mask& mask, const Added& added, AttentionCall* call = nullptr) const;

  /// Whether prepare() does more than hand the keys on.
  virtual bool prepares() const { return false; }
  /// Whether each feature has a score of its own: they are then [.., Q, K, dv].
  virtual bool per_feature() const { return false; }
  /// Whether `last` counts.
  virtual bool looks_back() const { return false; }
};

class ScaledDot : public Score {
 public:
  /// Without a scale, 1 / sqrt(dk). Throws ValueError for one that is not finite.
  explicit ScaledDot(std::optional<double> scale = std::nullopt);

  Tensor operator()(const Tensor& query, const Tensor& keys,
                    const Tensor& last = Tensor()) const override;
  Tensor context(const Tensor& query, const Tensor& keys, const Tensor& values, const Mask& mask,
                 const Added& added, AttentionCall* call = nullptr) const override;

 private:
  double scale_for(const Tensor& query, const Tensor& keys) const;
  std::optional<double> scale_;
};

class Dot : public ScaledDot {
 public:
  Dot() : ScaledDot(1) {}
};

/// The shape [.., Q, K] of the scores of these. Throws ShapeError, which names `op`, for fewer axes
/// than two and leading axes that do not broadcast.
Shape scores_shape(const char* op, const Tensor& query, const Tensor& keys);
/// Throws ShapeError unless `x` is [.., n, width], DTypeError unless it is of the dtype; both name
/// `op` and what x is.
void check_rows(const char* op, const char* what, const Tensor& x, Index width, DType dtype);
/// Of a batch: throws ShapeError unless x is [B, n, any], GradError where it is undefined.
void check_batch(const char* op, const char* what, const Tensor& x);

}  // namespace heed::attention
