// Distributions to draw from: their samples are constants, their log-probabilities are on the tape.
// Batched by shape: every place of the parameters' leading axes is a draw of its own. Randomness
// comes from the Generator given, else from the default one, and is the same for any number of
// threads.
//
//   const auto where = Categorical::from_logits(scores);      // [B, L]
//   const Tensor s = where.sample();                          // i64 [B]; sample(K): [K, B]
//   const Tensor l = where.log_prob(s);                       // shaped as s
//
// Names are those of torch.distributions; sample(K) is its sample((K,)).
#pragma once

#include "../../core/refused.h"
#include "../tensor.h"

namespace heed {

/// One of L places, named by the last axis.
class Categorical {
 public:
  explicit Categorical(
      const Tensor&, Say<"Categorical::from_probs(x), Categorical::from_logits(x)"> = {}) = delete;
  /// probs [.., L], f32 or f64. Throws ShapeError for no axis or no places; ValueError where a row
  /// has a NaN, a negative number, or does not sum to 1 (within 1e-3 for f32, 1e-6 for f64).
  static Categorical from_probs(const Tensor& probs);
  /// Probabilities softmax(logits); -infinity is a place that is never drawn. Throws ShapeError,
  /// and ValueError for NaN, +infinity, or a row of -infinity alone.
  static Categorical from_logits(const Tensor& logits);

  /// i64, shaped as the parameters without their last axis; with `count` > 0 that many draws of
  /// each, along a new first axis. Throws ValueError for a negative count.
  Tensor sample(Index count = 0, Generator* generator = nullptr) const;
  /// The most likely place, the first of equals.
  Tensor mode() const;
  /// Of places shaped as sample() gives them, with or without a first axis more. Gathers; throws
  /// IndexError, ShapeError, DTypeError.
  Tensor log_prob(const Tensor& places) const;
  /// -sum p log p, shaped as sample(); a place of probability 0 adds nothing.
  Tensor entropy() const;
  /// [.., L], on the tape.
  Tensor probs() const;
  Tensor log_probs() const;
  /// L.
  Index places() const { return given_.size(-1); }

 private:
  Categorical(Tensor given, bool logits) : given_(std::move(given)), logits_(logits) {}
  Tensor given_;
  bool logits_;
};

/// 1 or 0, each with its own probability of 1; samples have the parameters' dtype.
class Bernoulli {
 public:
  explicit Bernoulli(const Tensor&,
                     Say<"Bernoulli::from_probs(x), Bernoulli::from_logits(x)"> = {}) = delete;
  /// Throws ValueError unless all are in [0, 1], DTypeError.
  static Bernoulli from_probs(const Tensor& probs);
  /// Probabilities sigmoid(logits). Throws ValueError unless all are finite, DTypeError.
  static Bernoulli from_logits(const Tensor& logits);

  Tensor sample(Index count = 0, Generator* generator = nullptr) const;
  /// 1 where that is at least as likely as 0.
  Tensor mode() const;
  /// Of zeros and ones shaped as sample() gives them. Throws ShapeError, and ValueError for others.
  Tensor log_prob(const Tensor& values) const;
  Tensor entropy() const;
  Tensor probs() const;

 private:
  Bernoulli(Tensor given, bool logits) : given_(std::move(given)), logits_(logits) {}
  Tensor given_;
  bool logits_;
};

/// mean + deviation N(0, 1), independent at every place.
class Normal {
 public:
  /// One shape and dtype (f32, f64), or a number for all. Throws ValueError unless means are finite
  /// and deviations finite and positive; ShapeError, DTypeError.
  Normal(const Tensor& mean, const Tensor& deviation);
  Normal(const Tensor& mean, double deviation);

  /// A constant: the score function's sample.
  Tensor sample(Index count = 0, Generator* generator = nullptr) const;
  /// On the tape through mean and deviation (the pathwise gradient); it needs no log-probability.
  Tensor rsample(Index count = 0, Generator* generator = nullptr) const;
  Tensor mode() const { return mean_; }
  /// Shaped as `values`, which get no gradient here unless they have one of their own.
  Tensor log_prob(const Tensor& values) const;
  Tensor entropy() const;

 private:
  Tensor mean_, deviation_;
};

/// By torch's names: distributions::Normal is Normal.
namespace distributions {
using heed::Bernoulli;
using heed::Categorical;
using heed::Normal;
}  // namespace distributions

}  // namespace heed
