#include "model.h"

#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/cross_entropy.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/arrange.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/stochastic/baselines.h"
#include "../../io/saved_model.h"

namespace glimpses {
GlimpseModel::GlimpseModel(const ModelOptions& o)
    : options(io::checked_fields(o)),
      look(child<attention::GlimpseNetwork>("look", attention::GlimpseOptions{.size = o.glimpse,
                                                                              .scales = o.scales,
                                                                              .hidden = o.hidden,
                                                                              .width = o.width,
                                                                              .dtype = o.dtype})),
      locate(child<attention::LocationNetwork>("locate", o.width, o.dtype, o.bounded)),
      classify(child<nn::Linear>("classify", o.width, kClasses, true, o.dtype)),
      baseline(child<nn::Linear>("baseline", o.width, 1, true, o.dtype)) {
  if (o.core == "rnn") {
    rnn = &child<nn::RNNCell>("core", o.width, o.width, true, Nonlinearity::relu, o.dtype);
  } else {
    lstm = &child<nn::LSTMCell>("core", o.width, o.width, true, o.dtype);
  }
}

Episode GlimpseModel::operator()(const Tensor& images, Index runs, Looking looking,
                                 Generator* generator) const {
  const Index B = images.size(0), rows = B * runs;
  Episode out{.samples = Samples({.generator = generator})};
  LstmState state{zeros({rows, options.width}, options.dtype), {}};
  for (Index t = 0; t < options.count; ++t) {
    const Tensor h = state.h.detach(), mean = locate(h);
    const Tensor place =
        looking == Looking::sample ? out.samples.draw(Normal(mean, options.sigma)) : mean.detach();
    out.baselines.push_back(squeeze(baseline(h), 1));
    out.places.push_back(reshape(clamp(place, -1, 1), {B, runs, 2}));
    const Tensor g = reshape(look(images, out.places.back()), {rows, options.width});
    if (rnn) {
      state.h = (*rnn)(g, state.h);
    } else {
      state = (*lstm)(g, state);
    }
    out.logits.push_back(classify(state.h));
  }
  return out;
}

Losses losses_of(const Episode& episode, const Tensor& labels, Index runs, double every,
                 Reward kind) {
  const Tensor classes = repeat_interleave(labels, runs, 0);
  Tensor loss = cross_entropy(episode.logits.back(), classes);
  const double nats = loss.item();
  const std::size_t earlier = episode.logits.size() - 1;
  for (std::size_t t = 0; every > 0 && t < earlier; ++t) {
    loss =
        loss + cross_entropy(episode.logits[t], classes) * (every / static_cast<double>(earlier));
  }
  const Tensor guesses = episode.logits.back().detach();
  const Tensor right = Tensor((argmax(guesses, -1) == classes).array().to(loss.dtype()));
  const Tensor reward = kind == Reward::right
                            ? right
                            : exp(-cross_entropy(guesses, classes, {.reduction = Reduction::none}));
  Samples samples = episode.samples;
  samples.add_reward(reward);
  loss = loss + samples.surrogate(episode.baselines);
  for (std::size_t t = 0; t < episode.baselines.size(); ++t) {
    loss = loss + 0.5 * baseline_loss(episode.baselines[t], -reward);
  }
  return {loss, nats, 1 - mean(right).item()};
}

io::DirectoryFiles files_of(const GlimpseModel& model) {
  return io::ModelFiles("glimpses").options(model.options).weights(model);
}

std::unique_ptr<GlimpseModel> load(const std::string& folder) {
  const io::ModelFolder saved(folder, "glimpses");
  const auto o = saved.options<ModelOptions>();
  saved.expect({{"look.what.weight", {o.hidden, o.scales * o.glimpse * o.glimpse}},
                {"look.what_out.weight", {o.width, o.hidden}}});
  return saved.make<GlimpseModel>(o);
}

}  // namespace glimpses
