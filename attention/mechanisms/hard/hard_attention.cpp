#include "hard_attention.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/hard_choice.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// [0, -inf, ..]: a choice that is none.
Tensor certain(Index places, DType dtype) {
  Array out = Array::full(Shape{places}, kNever, DType::f64);
  out.mutable_data<double>()[0] = 0;
  return Tensor(out.to(dtype));
}

HardOptions checked(HardOptions options) {
  if (!(options.mean_probability >= 0 && options.mean_probability <= 1)) {
    throw ValueError(fmt::format("HardAttention: mean_probability {} is not in [0, 1]",
                                 options.mean_probability));
  }
  if (options.score == nullptr) options.score = std::make_shared<ScaledDot>();
  if (options.score->per_feature()) {
    throw ValueError("HardAttention: a score for each feature has no single place to choose");
  }
  return options;
}

}  // namespace

HardAttention::HardAttention(const HardOptions& options)
    : options_(checked(options)), score(shared_child<Score>("score", options_.score)) {}

HardMemory HardAttention::begin(const Tensor& keys, const Tensor& values,
                                const HardCall& call) const {
  const Scope scope(*this, Scope::unhooked);
  check_sequence("HardAttention", keys, values);
  if (training() && call.choices == nullptr) {
    throw GradError(
        "HardAttention: in training somebody must choose and record it: hand in choices, such as "
        "SampledChoices, or call eval()");
  }
  const Memory memory(score, keys, values);
  HardCall own = call;
  own.mask = call.mask & memory.within_reach();
  return HardMemory(memory, options_, own, training());
}

HardAttentionOutput HardAttention::operator()(const Tensor& query, const Tensor& keys,
                                              const Tensor& values, const HardCall& call) const {
  const Scope scope(*this);
  HardAttentionOutput out = begin(keys, values, call).attend(query);
  out.context = forwarded(out.context);
  return out;
}

HardMemory::HardMemory(Memory memory, const HardOptions& options, const HardCall& call,
                       bool training)
    : memory_(std::move(memory)), options_(options), call_(call), training_(training) {}

HardAttentionOutput HardMemory::attend(const Tensor& query) { return look(query, false); }

HardAttentionOutput HardMemory::step(const Tensor& query) {
  check_defined("HardAttention", query, "query");
  if (query.rank() < 1) {
    throw ShapeError("HardAttention: a step's query must be [.., dq], not " + describe(query));
  }
  return look(unsqueeze(query, -2), true);
}

Choice HardMemory::choose(const Tensor& logits) {
  if (call_.choices != nullptr) return call_.choices->choose(logits);
  if (options_.evaluation == HardEvaluation::argmax) return GreedyChoices().choose(logits);
  if (options_.evaluation == HardEvaluation::expectation) return ExpectedChoices().choose(logits);
  return SampledChoices(0, {.generator = call_.generator}).choose(logits);
}

// Scores that look back are made query by query: each needs the weights of the one before.
Tensor HardMemory::scores(const Tensor& query, const Tensor& allowed) {
  const Score& score = memory_.score();
  if (!score.uses_previous_weights()) return choosable_scores(memory_, query, allowed);
  std::vector<Tensor> rows;
  for (Index i = 0; i < query.size(-2); ++i) {
    const bool each = allowed.defined() && allowed.rank() >= 2 && allowed.size(-2) > 1;
    const Tensor may = each ? narrow(allowed, -2, i, 1) : allowed;
    rows.push_back(choosable_scores(memory_, narrow(query, -2, i, 1), may, past_));
    past_ = score.remember(past_, softmax(rows.back(), -1, may));
  }
  return concat(rows, -2);
}

HardAttentionOutput HardMemory::look(const Tensor& query, bool one) {
  check_defined("HardAttention", query, "query");
  const Tensor &keys = memory_.keys(), &values = memory_.values();
  if (query.dtype() != keys.dtype()) {
    throw DTypeError(fmt::format("HardAttention: query and keys differ in dtype: {} and {}",
                                 describe(query), describe(keys)));
  }
  const Shape shape = scores_shape("HardAttention", query, keys);  // [.., Q, K]
  const Index rank = shape.rank(), places = shape[rank - 1];
  const Shape one_sample = without_samples(shape, rank_);
  HardAttentionOutput out;
  if (shape.numel() == 0) {  // nobody looks, or nothing is there
    out.weights = softmax(memory_.score()(query, keys, past_), -1);
    out.context = matmul(out.weights, values);
  } else {
    const Tensor allowed = call_.mask.tensor(one_sample, "HardAttention");
    const Tensor scores = this->scores(query, allowed);
    out.weights = softmax(scores, -1, allowed);

    Tensor nothing;  // bool [.., Q, 1]: nothing may be looked at
    if (allowed.defined()) nothing = logical_not(any(allowed, {-1}, true));
    Tensor settled = nothing;  // the same: nothing is to be chosen
    if (training_ && options_.mean_probability > 0) {
      if (!takes_mean_.defined()) {
        Generator& generator = call_.generator != nullptr ? *call_.generator : default_generator();
        Shape rows(shape.begin(), rank - 2);
        rows.push_back(1);
        rows.push_back(1);
        takes_mean_ = Tensor(generator.bernoulli(rows, options_.mean_probability));
      }
      settled = settled.defined() ? logical_or(settled, takes_mean_) : takes_mean_;
    }
    Tensor logits = scores;
    if (settled.defined()) logits = where(settled, certain(places, scores.dtype()), logits);

    // Of one query the axis goes, so that what is drawn is [..] and not a joint choice [.., 1].
    out.choice = choose(one ? squeeze(logits, -2) : logits);
    Choice choice = out.choice;
    if (one) {
      choice = choice.is_hard()
                   ? Choice::hard(unsqueeze(choice.index(), -1), places, scores.dtype())
                   : Choice::soft(unsqueeze(choice.weights(), -2));
    }
    const bool sums = takes_mean_.defined() || !choice.is_hard();  // and does not only pick
    const FinitePart finite =
        sums && allowed.defined() ? finite_part(values) : FinitePart{values, Tensor()};
    out.context = chosen_values(choice, choice.is_hard() ? values : finite.x);
    if (takes_mean_.defined()) {
      out.context = where(takes_mean_, matmul(out.weights, finite.x), out.context);
    }
    if (finite.bad.defined()) {
      const Tensor was = out.context;
      out.context = spread_not_finite(out.context, {Tensor(), Tensor(), finite.bad}, Mask(allowed),
                                      shape, nullptr);
      if (choice.is_hard()) out.context = where(takes_mean_, out.context, was);
    }
    if (nothing.defined()) out.context = where(nothing, 0, out.context);
  }
  if (one) {
    out.context = squeeze(out.context, -2);
    out.weights = squeeze(out.weights, -2);
  }
  return out;
}

}  // namespace heed::attention
