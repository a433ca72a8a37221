// Hard attention (Xu et al. 2015, section 4.1): a query looks at one place, drawn from the weights,
// and its context is that place's value, read by a gather.
//
//   alpha = softmax(score(q, keys)),  s ~ Categorical(alpha),  context = values_s
//
// Who chooses is handed in: SampledChoices, or whatever an Estimator brings (autograd/stochastic),
// which records the log-probabilities and makes the gradient.
//
//   const HardAttention attend(score, {.mean_probability = 0.5});
//   SampledChoices choices(0, {.entropy = 0.01});
//   auto memory = attend.begin(annotations, annotations, {.choices = &choices});
//   for (...) state = cell(concat({word, memory.step(state).context}, -1), state);
//   choices.samples().add_cost(nll);                                      // [B]
//   choices.samples().surrogate(baseline).backward();
//
// query [.., Q, dq], keys [.., K, dk], values [.., K, dv] -> context [.., Q, dv]; with S samples
// [S, .., Q, dv], and the queries of later steps may have that axis too; the mask, which is that of
// one sample, holds for all of them. A query that may attend to nothing gets a zero context and
// takes no choice (log-probability and entropy 0, no gradient). What stands in masked places, NaN
// included, changes nothing.
#pragma once

#include <cstdint>

#include "../../../autograd/stochastic/choices.h"
#include "../../attend.h"

namespace heed::attention {

/// What evaluation takes of the weights, where nobody was handed in to choose.
enum class HardEvaluation : std::uint8_t { argmax, sample, expectation };

struct HardOptions {
  std::shared_ptr<Score> score = {};  ///< none: ScaledDot
  HardEvaluation evaluation = HardEvaluation::argmax;
  /// In training, the probability with which an example takes the mean of its values instead of a
  /// draw, at all steps of a sequence; 0.5 in the paper.
  double mean_probability = 0;
};

struct HardCall {
  Mask mask = {};
  /// Who chooses, in training and evaluation alike; null in evaluation: what the options say.
  Choices* choices = nullptr;
  Generator* generator = nullptr;  ///< of the means, and of HardEvaluation::sample; null: default
};

/// A context and the weights that it was chosen by.
struct HardAttentionOutput {
  Tensor context;
  Tensor weights;  ///< alpha, on the tape
  Choice choice;   ///< empty without places; means nothing where the mean is taken, or nothing
};

/// Keys and values that are looked at many times, as by a decoder.
class HardMemory {
 public:
  /// query [.., Q, dq]. Throws ShapeError, DTypeError; ValueError for scores that are NaN.
  HardAttentionOutput attend(const Tensor& query);
  /// One step: query [.., dq] -> context [.., dv], weights [.., K], choice [..].
  HardAttentionOutput step(const Tensor& query);

 private:
  friend class HardAttention;
  HardMemory(Memory memory, const HardOptions& options, const HardCall& call, bool training);
  HardAttentionOutput look(const Tensor& query, bool one);
  Tensor scores(const Tensor& query, const Tensor& allowed);
  Choice choose(const Tensor& logits);

  Memory memory_;
  HardOptions options_;
  HardCall call_;
  bool training_;
  Index rank_ = 0;     // of the first look's scores; 0 before it
  Tensor takes_mean_;  // bool [.., 1]; undefined before the first look
  Tensor past_;        // weights, for scores that use them
};

class HardAttention : public nn::Module {
 public:
  /// Throws ValueError for a probability outside [0, 1] and scores for each feature.
  explicit HardAttention(const HardOptions& options = {});

 private:
  HardOptions options_;

 public:
  Score& score;

  /// Throws ShapeError, DTypeError; GradError in training when nobody is there to choose. What the
  /// call points to must live as long as the result.
  HardMemory begin(const Tensor& keys, const Tensor& values, const HardCall& call = {}) const;
  /// All queries at once, as one joint choice an example; of scores that look back each has the
  /// weights of the one before.
  HardAttentionOutput operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                                 const HardCall& call = {}) const;
};

}  // namespace heed::attention
