// Scores say how well a query and a key match. One interface for all of them: keys are prepared
// once, then scored against any number of queries, at once or step by step.
//
//   query [.., Q, dq], keys [.., K, dk] -> scores [.., Q, K], leading axes (batch, heads) broadcast
//
// A score that is a product, or a vector times tanh of a sum, says so by its form(): then softmax
// attention runs in one pass over tiles, in O(Q + K) memory, and nothing else need be written.
//
// Here are the two without parameters; the others stand in scores/:
//   Dot         q . k             Luong et al. 2015
//   ScaledDot   q . k / sqrt(dk)  Vaswani et al. 2017, eq. 1; any other scale on demand
#pragma once

#include <optional>

#include "../nn/module.h"

namespace heed::attention {

class Score : public nn::Module {
 public:
  /// scale q . k, or with a vector [width]: scale vector . tanh(q + k). q [.., Q, width],
  /// k [.., K, width].
  struct Form {
    Tensor q, k;
    double scale = 1;
    Tensor vector = {};
  };

  /// Once for each sequence of keys: what form() and operator() take for them. The keys themselves
  /// unless a score says otherwise; [.., K, any].
  virtual Tensor prepare(const Tensor& keys) const { return keys; }

  /// Nothing where a score has no such form. Throws ShapeError, DTypeError.
  virtual std::optional<Form> form(const Tensor& query, const Tensor& prepared) const;

  /// The scores themselves, by default those of form(). `past`: for those that use previous
  /// weights, what remember() kept of them, [.., Q, K]; undefined at the first. Throws ShapeError,
  /// DTypeError.
  virtual Tensor operator()(const Tensor& query, const Tensor& prepared,
                            const Tensor& past = Tensor()) const;

  /// Whether prepare() does more than hand the keys on.
  virtual bool prepares() const { return false; }
  /// Whether each feature has a score of its own: they are then [.., Q, K, dv].
  virtual bool per_feature() const { return false; }
  /// Whether `past` counts.
  virtual bool uses_previous_weights() const { return false; }
  /// How many places it looks at, from the first; what stands behind them is attended to by nobody.
  /// -1: all.
  virtual Index reach() const { return -1; }
  /// What the next query gets for its past, from this one's past and weights: the weights.
  virtual Tensor remember(const Tensor& past, const Tensor& weights) const;

  /// operator() for a call of attention some places of which are masked: `allowed` is bool and
  /// broadcasts to the scores, undefined: all. For those whose masked places must not reach the
  /// others, or have no finite gradient; by default operator() itself.
  virtual Tensor among(const Tensor& query, const Tensor& prepared, const Tensor& allowed,
                       const Tensor& past = Tensor()) const;
};

/// The scores of a form, in plain operators. Throws ShapeError, which names `op`.
Tensor scores_of(const char* op, const Score::Form& form);

class ScaledDot : public Score {
 public:
  /// Without a scale, 1 / sqrt(dk). Throws ValueError for one that is not finite.
  explicit ScaledDot(std::optional<double> scale = std::nullopt);

  std::optional<Form> form(const Tensor& query, const Tensor& keys) const override;

 private:
  std::optional<double> scale_;
};

class Dot : public ScaledDot {
 public:
  Dot() : ScaledDot(1) {}
};

}  // namespace heed::attention
