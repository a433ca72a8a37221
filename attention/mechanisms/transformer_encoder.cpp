#include "transformer_encoder.h"

#include <fmt/format.h>

#include "../../autograd/ops/activation.h"
#include "../../autograd/ops/elementwise.h"
#include "../../core/error.h"

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

Attended TransformerEncoderLayer::operator()(const Tensor& x, const MultiHeadCall& call) const {
  const auto forward_part = [&](const Tensor& in) {
    return dropout2(feed_forward(in, linear1, options_.activation, dropout, linear2));
  };
  if (options_.pre_norm) {
    const Attended seen = self_attn(norm1(x), call);
    const Tensor h = x + dropout1(seen.context);
    return {forwarded(h + forward_part(norm2(h))), seen.weights};
  }
  const Attended seen = self_attn(x, call);
  const Tensor h = norm1(x + dropout1(seen.context));
  return {forwarded(norm2(h + forward_part(h))), seen.weights};
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

Tensor TransformerEncoder::operator()(const Tensor& x, const Mask& mask,
                                      std::vector<Tensor>* weights) const {
  Tensor h = x;
  for (const TransformerEncoderLayer& layer : layers) {
    Attended out = layer(h, {.mask = mask, .need_weights = weights != nullptr});
    if (weights != nullptr) weights->push_back(out.weights);
    h = out.context;
  }
  return forwarded(norm == nullptr ? h : (*norm)(h));
}

}  // namespace heed::attention
