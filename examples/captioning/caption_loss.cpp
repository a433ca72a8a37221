#include "caption_loss.h"

#include "../../attention/mechanisms/pooling/doubly_stochastic.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"

namespace captioning {

CaptionLoss caption_loss(const Captioner& model, const Batch& batch, const LossOptions& options,
                         double decay, std::vector<heed::MovingAverage>& baselines) {
  const Tensor words(batch.words), targets(batch.targets);
  const bool is_hard = model.options.look == Look::hard;
  heed::SampledChoices choices(options.draws > 1 ? options.draws : 0,
                               {.entropy = options.lambda_e / options.lambda_r});
  auto writing = model.begin(model.annotate(batch.images), is_hard ? &choices : nullptr);
  CaptionLoss loss;
  Tensor plain;
  std::vector<Tensor> alphas;
  for (Index t = 0; t < words.size(1); ++t) {
    const Captioner::Step step = model.step(select(words, 1, t), writing);
    const heed::Shape rows(step.logits.shape().begin(), step.logits.rank() - 1);  // [B] or [K, B]
    const Tensor target = reshape(broadcast_to(select(targets, 1, t), rows), {-1});
    const Tensor nll =
        reshape(cross_entropy(reshape(step.logits, {target.size(0), -1}), target,
                              {.ignore_index = 0, .reduction = heed::Reduction::none}),
                rows);
    if (is_hard) choices.samples().add_cost(nll);
    alphas.push_back(step.alpha);
    plain = plain.defined() ? plain + mean(nll) : mean(nll);
  }
  for (const std::int64_t id : batch.targets.to_vector<std::int64_t>()) loss.count += id != 0;
  loss.words = plain.item();
  loss.total = plain;
  if (!is_hard) {
    if (options.lambda > 0) {
      const Tensor weights = stack(alphas, 1);  // [B, T, L]
      const Tensor steps = heed::operator!=(targets, heed::zeros({1}, heed::DType::i64));
      loss.total =
          plain + options.lambda * mean(attention::doubly_stochastic_penalty(weights, steps));
    }
    return loss;
  }
  heed::Samples& samples = choices.samples();
  std::vector<Tensor> before;
  for (Index w = 0; w < samples.size(); ++w) {
    if (options.draws > 1) {
      before.push_back(leave_one_out(samples.cost_after(w)));
      continue;
    }
    if (static_cast<std::size_t>(w) == baselines.size()) baselines.emplace_back(decay);
    before.push_back(baselines[static_cast<std::size_t>(w)].value(plain.dtype()));
  }
  loss.total = options.lambda_r * samples.surrogate(before) + (1 - options.lambda_r) * plain;
  for (Index w = 0; options.draws == 1 && w < samples.size(); ++w) {
    baselines[static_cast<std::size_t>(w)].update(samples.cost_after(w));
  }
  return loss;
}

}  // namespace captioning
