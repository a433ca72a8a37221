#include "transformer_encoder.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "layer_experts.h"

namespace heed::attention {

namespace {

TransformerOptions checked(const TransformerOptions& options) {
  if (options.parallel && !options.pre_norm) {
    throw ValueError("transformer_encoder: parallel parts need pre_norm: both read norm1(x)");
  }
  if (options.both_norms && !options.pre_norm) {
    throw ValueError("transformer_encoder: both_norms adds to pre_norm");
  }
  if (options.self_attention &&
      options.kv_heads != 0) {  // of a decoder's memory they are in any case
    throw ValueError("transformer_encoder: another self_attention has no use for kv_heads");
  }
  return options;
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(const TransformerOptions& options, Index layer)
    : options_(checked(options)),
      experts_(expert_options(options, layer)),
      self_attn(shared_child("self_attn", make_self_attention(options, layer))),
      linear1(experts_.experts == 0 ? &child<nn::Linear>("linear1", options.width, options.hidden,
                                                         options.bias, options.dtype)
                                    : nullptr),
      linear_gate(linear1 != nullptr && is_gated(options.activation)
                      ? &child<nn::Linear>("linear_gate", options.width, options.hidden,
                                           options.bias, options.dtype)
                      : nullptr),
      dropout(child<nn::Dropout>("dropout", options.dropout)),
      linear2(linear1 != nullptr ? &child<nn::Linear>("linear2", options.hidden, options.width,
                                                      options.bias, options.dtype)
                                 : nullptr),
      mixture(linear1 == nullptr ? &child<MixtureOfExperts>("mixture", experts_) : nullptr),
      norm1(child<TransformerNorm>("norm1", options)),
      norm2(child<TransformerNorm>("norm2", options)),
      norm1_after(options.both_norms ? &child<TransformerNorm>("norm1_after", options) : nullptr),
      norm2_after(options.both_norms ? &child<TransformerNorm>("norm2_after", options) : nullptr),
      dropout1(child<nn::Dropout>("dropout1", options.dropout)),
      dropout2(child<nn::Dropout>("dropout2", options.dropout)) {}

TransformerLayerOutput TransformerEncoderLayer::operator()(const Tensor& in, const Terms& terms,
                                                           KeyValueCache* cache) const {
  const Scope scope(*this);
  const bool masked = !terms.mask.all();
  const ByRows first(masked, norm1);
  TransformerLayerOutput out;
  const auto attend = [&](const Tensor& x) {
    static_cast<Attended&>(out) = self_attn(x, terms, cache);
    return dropout1(normed(norm1_after, masked, out.context));
  };
  const auto read = [&](const Tensor& x) {
    const Tensor y =
        mixture != nullptr
            ? by_experts(*mixture, x, terms.mask, options_.heads, cache, out.routed)
            : feed_forward(x, *linear1, linear_gate, options_.activation, dropout, *linear2);
    return dropout2(normed(norm2_after, false, y));
  };
  Tensor x = in;
  if (options_.parallel) {
    const Tensor n = first(x);
    x = x + attend(n);  // first: what a cache holds is known then
    x = x + guarded(n, masked, read);
  } else if (options_.pre_norm) {
    x = x + attend(first(x));
    x = x + guarded(x, masked, [&](const Tensor& y) { return read(norm2(y)); });
  } else {
    x = first(x + attend(x));
    x = guarded(x, masked, [&](const Tensor& y) { return norm2(y + read(y)); });
  }
  out.context = forwarded(x);
  return out;
}

TransformerEncoder::TransformerEncoder(Index count, const TransformerOptions& options,
                                       bool final_norm)
    : layers(child<nn::ModuleListOf<TransformerEncoderLayer>>("layers")),
      norm(final_norm ? &child<TransformerNorm>("norm", options) : nullptr) {
  if (count <= 0) {
    throw ValueError(fmt::format("transformer_encoder: {} layers must be positive", count));
  }
  for (Index i = 0; i < count; ++i) layers.add(options, i);
}

TransformerOutput TransformerEncoder::run(const Tensor& x, const std::vector<Terms>& terms,
                                          State* state) const {
  const Scope scope(*this);
  if (terms.size() != 1 && terms.size() != layers.size()) {
    throw ValueError(
        fmt::format("transformer_encoder: terms of {} layers for {}", terms.size(), layers.size()));
  }
  TransformerOutput out;
  out.output = x;
  Tensor below = terms.front().from_below;
  bool masked = false;
  std::vector<CacheOfCall> past;
  if (state != nullptr) past = caches_of_call(state->past);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Terms own = terms[terms.size() == 1 ? 0 : i];
    own.from_below = below;
    const TransformerLayerOutput seen = named("transformer_encoder", [&] {
      return layers[i](out.output, own, past.empty() ? nullptr : past[i].get());
    });
    out.output = seen.context;
    if (seen.for_above.defined()) below = seen.for_above;
    if (own.need_weights) out.weights.push_back(seen.weights);
    if (layers[i].mixture != nullptr) out.routed.push_back(seen.routed);
    masked = masked || !own.mask.all();
  }
  out.output = forwarded(normed(norm, masked, out.output));
  for (CacheOfCall& each : past) each.keep();
  return out;
}

TransformerOutput TransformerEncoder::operator()(const Tensor& x, const Terms& terms) const {
  const Scope scope(*this);
  return run(x, {terms}, nullptr);
}

TransformerOutput TransformerEncoder::operator()(const Packed& x, const Terms& terms) const {
  const Scope scope(*this);
  check_offsets("transformer_encoder", x.offsets, x.tokens);
  Terms own = terms;
  own.mask = Mask::segments(x.offsets) & terms.mask;
  TransformerOutput out = run(unsqueeze(x.tokens, 0), {own}, nullptr);
  out.output = squeeze(out.output, 0);
  return out;
}

TransformerOutput TransformerEncoder::by_layer(const Tensor& x,
                                               const std::vector<Terms>& terms) const {
  const Scope scope(*this);
  return run(x, terms, nullptr);
}

void TransformerEncoder::State::reorder(const Tensor& rows) {
  for (KeyValueCache& cache : past) cache.reorder(rows);
}

TransformerOutput TransformerEncoder::step(const Tensor& x, State& state,
                                           const Terms& terms) const {
  const Scope scope(*this);
  if (state.past.empty()) state.past.resize(layers.size());
  if (state.past.size() != layers.size()) {
    throw ValueError(fmt::format("transformer_encoder: the state has {} layers, the encoder {}",
                                 state.past.size(), layers.size()));
  }
  Terms causal = terms;
  causal.mask = Mask::causal() & terms.mask;
  return run(x, {causal}, &state);
}

}  // namespace heed::attention
