#include "transformer_encoder.h"

#include <fmt/format.h>

#include "../../../autograd/ops/activation.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../core/error.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

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

Attended TransformerEncoderLayer::operator()(const Tensor& in, const Terms& terms,
                                             KeyValueCache* cache) const {
  const bool masked = !terms.mask.all();
  const ByRows first(masked, norm1), second(masked, norm2);
  Attended out;
  const auto attend = [&](const Tensor& x) {
    out = self_attn(x, x, x, terms, cache);
    return dropout1(out.context);
  };
  const auto forward = [&](const Tensor& x) {
    return dropout2(feed_forward(x, linear1, options_.activation, dropout, linear2));
  };
  const ByRows read(masked, forward);
  Tensor x = in;
  if (options_.pre_norm) {
    x = x + attend(first(x));
    x = x + read(second(x));
  } else {
    x = first(x + attend(x));
    x = second(x + read(x));
  }
  out.context = forwarded(x);
  return out;
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

StackOutput TransformerEncoder::run(const Tensor& x, const Terms& terms, State* state) const {
  StackOutput out{x};
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

StackOutput TransformerEncoder::operator()(const Tensor& x, const Terms& terms) const {
  return run(x, terms, nullptr);
}

void TransformerEncoder::State::reorder(const Tensor& rows) {
  for (KeyValueCache& cache : past) cache.reorder(rows);
}

StackOutput TransformerEncoder::step(const Tensor& x, State& state, const Terms& terms) const {
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
