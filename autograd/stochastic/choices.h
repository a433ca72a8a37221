// A model with discrete choices, written once and run under any estimator:
//
//   Tensor cost(Choices& choices) {                        // [B]
//     const Choice where = choices.choose(score(query, keys));     // logits [B, L]
//     return loss(where.pick(values), target);                     // values [B, L, D] -> [B, D]
//   }
//
// What choose() gives depends on who asks: an index drawn at random (SampledChoices), the most
// likely (GreedyChoices), the mean (ExpectedChoices), a relaxed weight for each place
// (RelaxedChoices), what is prescribed (ReplayedChoices). Estimators (estimator.h) hand in theirs.
#pragma once

#include <functional>

#include "samples.h"

namespace heed {

/// One of L places, for each example: an index, or weights over all places.
class Choice {
 public:
  /// index i64 [..], of `places`.
  static Choice hard(const Tensor& index, Index places, DType dtype);
  /// weights [.., L].
  static Choice soft(const Tensor& weights);

  bool is_hard() const { return index_.defined(); }
  /// i64 [..]; of weights the largest place.
  Tensor index() const;
  /// [.., L]; of an index ones and zeros (made here: pick() is cheaper).
  Tensor weights() const;
  /// values [.., L, D] -> [.., D]: the row chosen, by a gather, or the weighted sum. The leading
  /// axes of values are those of the choice, or the last few of them: [L, D] is one table for all,
  /// [B, L, D] serves a choice [K, B]. Throws ShapeError.
  Tensor pick(const Tensor& values) const;
  /// values [.., L] -> [..].
  Tensor pick_number(const Tensor& values) const;

 private:
  Tensor index_, weights_;
  Index places_ = 0;
  DType dtype_ = DType::f32;
};

class Choices {
 public:
  virtual ~Choices() = default;
  /// logits [.., L] -> a choice [..], or [K, ..] where K samples are drawn: then the logits of the
  /// first choice have no such axis, and those of later choices, of as many axes, may have it in
  /// front. Throws as Categorical::from_logits().
  virtual Choice choose(const Tensor& logits) = 0;
};

/// Draws, and keeps log-probabilities in samples().
class SampledChoices : public Choices {
 public:
  /// `count` > 0: so many samples, along a new first axis.
  explicit SampledChoices(Index count = 0, const SamplesOptions& options = {})
      : samples_(options), count_(count) {}
  Choice choose(const Tensor& logits) override;
  Samples& samples() { return samples_; }

 private:
  Samples samples_;
  Index count_;
  Index rank_ = -1;  // of the first logits
};

/// The largest logit.
class GreedyChoices : public Choices {
 public:
  Choice choose(const Tensor& logits) override;
};

/// softmax(logits) as weights: soft attention.
class ExpectedChoices : public Choices {
 public:
  Choice choose(const Tensor& logits) override;
};

/// How a sample is relaxed: gumbel y = softmax((logits + g) / tau) (Jang 2017; Maddison 2017);
/// straight_through_gumbel one_hot(y) + y - stop(y); straight_through one_hot(s) + p - stop(p) for
/// s drawn from p = softmax(logits) (Bengio 2013).
enum class Relaxation : std::uint8_t { gumbel, straight_through_gumbel, straight_through };

class RelaxedChoices : public Choices {
 public:
  /// Throws ValueError unless tau > 0.
  explicit RelaxedChoices(Relaxation kind, double tau = 1, Generator* generator = nullptr);
  Choice choose(const Tensor& logits) override;

 private:
  Relaxation kind_;
  double tau_;
  Generator* generator_;
};

/// What is prescribed: choice t is choices[t] while they last, then what `rest` chooses.
class ReplayedChoices : public Choices {
 public:
  explicit ReplayedChoices(std::vector<Choice> choices, Choices* rest = nullptr)
      : choices_(std::move(choices)), rest_(rest) {}
  /// Throws GradError when the choices are used up and there is no rest.
  Choice choose(const Tensor& logits) override;

 private:
  std::vector<Choice> choices_;
  Choices* rest_;
  std::size_t next_ = 0;
};

/// -log(-log(u)), standard Gumbel noise.
Tensor gumbel_noise(const Shape& shape, DType dtype, Generator* generator = nullptr);

/// A model's cost, one number an example: [B] (or [K, B] under K samples), on the tape.
using ChoiceCost = std::function<Tensor(Choices&)>;

}  // namespace heed
