#include "caption_loss.h"

#include "../../attention/mechanisms/pooling/doubly_stochastic.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace captioning {

// What one draw costs beside a mean over other scenes says little of the draw: at a full weight its
// noise drowns what the words say.
CaptionCost::CaptionCost(const LossOptions& options) : options_(options) {
  if (options_.lambda_r == 0) options_.lambda_r = options_.draws > 1 ? 1 : 0.1;
}

CaptionLoss CaptionCost::operator()(const Captioner& model, const Batch& batch) {
  const Tensor words(batch.words), targets(batch.targets);
  const auto& [lambda, lambda_r, lambda_e, draws, soft_steps, decay] = options_;
  const bool is_hard = model.options.hard() && steps_++ >= soft_steps;
  SampledChoices choices(draws > 1 ? draws : 0, {.entropy = lambda_e / lambda_r});
  auto writing = model.begin(model.annotate(batch.images), is_hard ? &choices : nullptr, !is_hard);
  CaptionLoss loss;
  Tensor plain;
  std::vector<Tensor> alphas;
  for (Index t = 0; t < words.size(1); ++t) {
    const Captioner::Step step = model.step(select(words, 1, t), writing);
    const Shape rows(step.logits.shape().begin(), step.logits.rank() - 1);  // [B] or [K, B]
    const Tensor target = reshape(broadcast_to(select(targets, 1, t), rows), {-1});
    const Tensor nll = reshape(cross_entropy(reshape(step.logits, {target.size(0), -1}), target,
                                             {.ignore_index = 0, .reduction = Reduction::none}),
                               rows);
    if (is_hard) choices.samples().add_cost(nll);
    alphas.push_back(step.alpha);
    plain = plain.defined() ? plain + mean(nll) : mean(nll);
  }
  for (const Index id : batch.targets.to_vector<Index>()) loss.count += id != 0;
  loss.words = plain.item();
  loss.total = plain;
  if (!is_hard) {
    if (lambda == 0) return loss;
    const Tensor steps = targets != zeros({1}, DType::i64);
    loss.total =
        plain + lambda * mean(attention::doubly_stochastic_penalty(stack(alphas, 1), steps));
    return loss;
  }
  Samples& samples = choices.samples();
  std::vector<Tensor> before;
  for (Index w = 0; w < samples.size(); ++w) {
    if (draws > 1) {
      before.push_back(leave_one_out(samples.cost_after(w)));
      continue;
    }
    if (static_cast<std::size_t>(w) == baselines_.size()) baselines_.emplace_back(decay);
    before.push_back(baselines_[static_cast<std::size_t>(w)].value(plain.dtype()));
  }
  loss.total = lambda_r * samples.surrogate(before) + (1 - lambda_r) * plain;
  for (Index w = 0; draws == 1 && w < samples.size(); ++w) {
    baselines_[static_cast<std::size_t>(w)].update(samples.cost_after(w));
  }
  return loss;
}

std::vector<double> CaptionCost::baselines() const {
  std::vector<double> out;
  for (const MovingAverage& each : baselines_) out.push_back(each.value(DType::f64).item());
  return out;
}

std::vector<std::pair<std::string, Array>> CaptionCost::state_dict() const {
  return {{"baselines", Array::from(baselines())},
          {"steps", Array::from(std::vector<Index>{steps_})}};
}

void CaptionCost::load_state_dict(const std::vector<std::pair<std::string, Array>>& entries) {
  if (entries.size() != 2 || entries[0].second.dtype() != DType::f64 ||
      entries[1].second.dtype() != DType::i64 || entries[1].second.numel() != 1) {
    throw ValueError("caption loss: the entries must be \"baselines\", f64[T], and \"steps\", i64");
  }
  std::vector<MovingAverage> loaded;
  for (const double value : entries[0].second.to_vector<double>()) {
    loaded.emplace_back(options_.decay).update(tensor(value, DType::f64));
  }
  baselines_ = std::move(loaded);
  steps_ = static_cast<Index>(entries[1].second.item());
}

}  // namespace captioning
