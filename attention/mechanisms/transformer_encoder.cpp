#include "transformer_encoder.h"

#include <fmt/format.h>

#include "../../autograd/ops/activation.h"
#include "../../autograd/ops/elementwise.h"
#include "../../core/error.h"
#include "../nan_guard.h"
#include "named.h"

namespace heed::attention {

MultiHeadOptions self_attention(const TransformerOptions& options) {
  return {.width = options.width,
          .heads = options.heads,
          .kv_heads = options.kv_heads,
          .dropout = options.dropout,
          .rotary = options.rotary,
          .dtype = options.dtype};
}

MultiHeadOptions cross_attention(const TransformerOptions& options) {
  MultiHeadOptions out = self_attention(options);
  out.rotary = false;
  return out;
}

Tensor feed_forward(const Tensor& x, const nn::Linear& linear1, Activation activation,
                    const nn::Dropout& dropout, const nn::Linear& linear2) {
  const Tensor inner = linear1(x);
  return linear2(dropout(activation == Activation::relu ? relu(inner) : gelu(inner)));
}

TransformerEncoderLayer::TransformerEncoderLayer(const TransformerOptions& options)
    : self_attn(child<MultiHead>("self_attn", self_attention(options))),
      linear1(child<nn::Linear>("linear1", options.width, options.hidden, true, options.dtype)),
      dropout(child<nn::Dropout>("dropout", options.dropout)),
      linear2(child<nn::Linear>("linear2", options.hidden, options.width, true, options.dtype)),
      norm1(child<nn::LayerNorm>("norm1", Shape{options.width}, options.eps, true, options.dtype)),
      norm2(child<nn::LayerNorm>("norm2", Shape{options.width}, options.eps, true, options.dtype)),
      dropout1(child<nn::Dropout>("dropout1", options.dropout)),
      dropout2(child<nn::Dropout>("dropout2", options.dropout)),
      options_(options) {}

Attended TransformerEncoderLayer::operator()(const Tensor& x, const Terms& terms,
                                             KeyValueCache* cache) const {
  const auto forward_part = [&](const Tensor& in) {
    return dropout2(feed_forward(in, linear1, options_.activation, dropout, linear2));
  };
  const auto attend = [&](const Tensor& in) { return self_attn(in, in, in, terms, cache); };
  const bool masked = !terms.mask.all();
  if (options_.pre_norm) {
    const Attended seen = attend(guarded(x, masked, norm1));
    const auto forward = [&](const Tensor& h) { return h + forward_part(norm2(h)); };
    return {forwarded(guarded(x + dropout1(seen.context), masked, forward)), seen.weights};
  }
  const Attended seen = attend(x);
  const auto forward = [&](const Tensor& sum) {
    const Tensor h = norm1(sum);
    return norm2(h + forward_part(h));
  };
  return {forwarded(guarded(x + dropout1(seen.context), masked, forward)), seen.weights};
}

TransformerEncoder::TransformerEncoder(Index count, const TransformerOptions& options,
                                       bool final_norm)
    : layers(child<nn::ModuleList<TransformerEncoderLayer>>("layers")),
      norm(final_norm ? &child<nn::LayerNorm>("norm", Shape{options.width}, options.eps, true,
                                              options.dtype)
                      : nullptr) {
  if (count <= 0) {
    throw ValueError(fmt::format("transformer_encoder: {} layers must be positive", count));
  }
  for (Index i = 0; i < count; ++i) layers.add(options);
}

TransformerOutput TransformerEncoder::run(const Tensor& x, const Terms& terms, State* state) const {
  TransformerOutput out{x};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Attended seen = named("transformer_encoder", [&] {
      return layers[i](out.output, terms, state != nullptr ? &state->past[i] : nullptr);
    });
    out.output = seen.context;
    if (terms.need_weights) out.weights.push_back(seen.weights);
  }
  if (norm != nullptr) out.output = guarded(out.output, !terms.mask.all(), *norm);
  out.output = forwarded(out.output);
  return out;
}

TransformerOutput TransformerEncoder::operator()(const Tensor& x, const Terms& terms) const {
  return run(x, terms, nullptr);
}

void TransformerEncoder::State::reorder(const Tensor& rows) {
  for (KeyValueCache& cache : past) cache.reorder(rows);
}

TransformerOutput TransformerEncoder::step(const Tensor& x, State& state,
                                           const Terms& terms) const {
  if (state.past.empty()) state.past.resize(layers.size());
  if (state.past.size() != layers.size()) {
    throw ValueError(fmt::format("transformer_encoder: the state has {} layers, the encoder {}",
                                 state.past.size(), layers.size()));
  }
  Terms causal = terms;
  causal.mask = Mask::causal() & terms.mask;
  return run(x, causal, &state);
}

}  // namespace heed::attention
