#include "score_estimators.h"

#include <fmt/format.h>

#include <cmath>

#include "../../core/error.h"
#include "../check_defined.h"
#include "../grad_mode.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"
#include "front_axes.h"

namespace heed {
namespace {

Index more_than_one(const char* op, Index samples) {
  if (samples > 1) return samples;
  throw ValueError(fmt::format("{}: {} samples; the others' costs need at least 2", op, samples));
}

Tensor sampled_cost(const ChoiceCost& cost, SampledChoices& choices) {
  Tensor out = cost(choices);
  choices.samples().add_cost(out);
  return out;
}

// Costs of K samples, [K, ..].
Tensor sampled_costs(const char* op, const ChoiceCost& cost, SampledChoices& choices, Index count) {
  Tensor out = cost(choices);
  check_defined(op, out, "cost");
  if (out.rank() == 0 || out.size(0) != count) {
    throw ShapeError(
        fmt::format("{}: the cost is {}; its first axis must be that of the {} samples", op,
                    describe(out), count));
  }
  choices.samples().add_cost(out);
  return out;
}

}  // namespace

Tensor Reinforce::operator()(const ChoiceCost& cost, Generator* generator) {
  SampledChoices choices(0, {.generator = generator});
  sampled_cost(cost, choices);
  return choices.samples().surrogate();
}

Tensor MovingAverageReinforce::operator()(const ChoiceCost& cost, Generator* generator) {
  SampledChoices choices(0, {.generator = generator});
  const Tensor f = sampled_cost(cost, choices);
  Tensor loss = choices.samples().surrogate(average_.value(f.dtype()));
  average_.update(f);  // after it has served: it may not see these draws
  return loss;
}

LearnedBaseline::LearnedBaseline(std::function<Tensor()> predict, std::vector<Tensor> parameters)
    : predict_(std::move(predict)), parameters_(std::move(parameters)) {
  if (!predict_) throw ValueError("LearnedBaseline: predict is empty");
}

Tensor LearnedBaseline::operator()(const ChoiceCost& cost, Generator* generator) {
  SampledChoices choices(0, {.generator = generator});
  const Tensor f = sampled_cost(cost, choices);
  const Tensor baseline = broadcast_to(predict_(), f.shape());
  const Tensor error = baseline_loss(baseline, f);
  // The error comes along for its gradient; the value stays the cost's.
  return choices.samples().surrogate(baseline) + (error - error.detach());
}

LeaveOneOut::LeaveOneOut(Index samples) : samples_(more_than_one("LeaveOneOut", samples)) {}

Tensor LeaveOneOut::operator()(const ChoiceCost& cost, Generator* generator) {
  SampledChoices choices(samples_, {.generator = generator});
  const Tensor f = sampled_costs("LeaveOneOut", cost, choices, samples_);
  return choices.samples().surrogate(leave_one_out(f));
}

namespace {

// Whose baseline is the cost of what somebody else chooses.
Tensor against(Choices& other, const ChoiceCost& cost, Generator* generator) {
  SampledChoices choices(0, {.generator = generator});
  sampled_cost(cost, choices);
  Tensor baseline;
  {
    const NoGrad scope;
    baseline = cost(other);
  }
  return choices.samples().surrogate(baseline);
}

}  // namespace

Tensor SelfCritical::operator()(const ChoiceCost& cost, Generator* generator) {
  GreedyChoices likeliest;
  return against(likeliest, cost, generator);
}

Tensor SoftBaseline::operator()(const ChoiceCost& cost, Generator* generator) {
  ExpectedChoices soft;
  return against(soft, cost, generator);
}

Vimco::Vimco(Index samples) : samples_(more_than_one("Vimco", samples)) {}

Tensor multi_sample_bound(const Tensor& cost) {
  check_defined("multi_sample_bound", cost, "cost");
  if (cost.rank() == 0 || cost.size(0) == 0) {
    throw ShapeError(
        fmt::format("multi_sample_bound: cost {} needs a first axis of samples", describe(cost)));
  }
  return std::log(static_cast<double>(cost.size(0))) - logsumexp(-cost, {0});
}

// mean(M(sum_k l_k) bound) + mean(sum_k (1 - M(l_k)) stop(b_k)): samples are independent, so each
// baseline needs the box of its own draws alone.
Tensor Vimco::operator()(const ChoiceCost& cost, Generator* generator) {
  SampledChoices choices(samples_, {.generator = generator});
  const Tensor f = sampled_costs("Vimco", cost, choices, samples_);
  const Samples& samples = choices.samples();
  if (samples.size() == 0) throw GradError("Vimco: the function made no choice");
  Tensor log_prob;  // [K, ..]
  for (Index w = 0; w < samples.size(); ++w) {
    const Tensor l = line_up("Vimco", samples.log_prob(w), f.shape());
    log_prob = log_prob.defined() ? log_prob + l : l;
  }
  Tensor baseline;
  {
    const NoGrad scope;
    const Tensor constant = f.detach(), others = leave_one_out(constant);
    std::vector<Tensor> bounds;
    for (Index k = 0; k < samples_; ++k) {
      Shape column = Shape::filled(f.rank(), 1);
      column[0] = samples_;
      Array own = Array::zeros(column, DType::boolean);
      own.mutable_data<bool>()[k] = true;
      bounds.push_back(multi_sample_bound(where(Tensor(own), others, constant)));
    }
    baseline = stack(bounds, 0);
    // Where the others are all impossible any constant serves; an infinite one does not.
    baseline = where(isfinite(baseline), baseline, 0);
  }
  return mean(magic_box(sum(log_prob, {0})) * multi_sample_bound(f)) +
         mean(sum((1 - magic_box(log_prob)) * baseline, {0}));
}

}  // namespace heed
