#include "model.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/clamp.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"

namespace glimpses {
namespace {

const ModelOptions& checked(const ModelOptions& options) {
  if (options.count < 1) {
    throw ValueError(fmt::format("glimpses: {} glimpses are too few", options.count));
  }
  if (!std::isfinite(options.sigma) || options.sigma <= 0) {
    throw ValueError(fmt::format("glimpses: sigma {} must be positive", options.sigma));
  }
  return options;
}

}  // namespace

Core core_of(const std::string& name) {
  if (name == "rnn") return Core::rnn;
  if (name == "lstm") return Core::lstm;
  throw ValueError("core: '" + name + "' is none of rnn, lstm");
}

const char* name(Core core) { return core == Core::rnn ? "rnn" : "lstm"; }

GlimpseModel::GlimpseModel(const ModelOptions& o)
    : options(checked(o)),
      look(child<attention::GlimpseNetwork>("look", attention::GlimpseOptions{.size = o.glimpse,
                                                                              .scales = o.scales,
                                                                              .hidden = o.hidden,
                                                                              .width = o.width,
                                                                              .dtype = o.dtype})),
      locate(child<attention::LocationNetwork>("locate", o.width, o.dtype)),
      classify(child<nn::Linear>("classify", o.width, o.classes, true, o.dtype)),
      baseline(child<nn::Linear>("baseline", o.width, 1, true, o.dtype)) {
  if (o.core == Core::rnn) {
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

}  // namespace glimpses
