#include "transformer_decoder.h"

#include <fmt/format.h>

#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/index.h"
#include "../../core/error.h"
#include "../finite.h"
#include "named.h"

namespace heed::attention {

TransformerDecoderLayer::TransformerDecoderLayer(const TransformerOptions& options)
    : self_attn(child<MultiHead>("self_attn", self_attention(options))),
      multihead_attn(child<MultiHead>("multihead_attn", cross_attention(options))),
      linear1(child<nn::Linear>("linear1", options.width, options.hidden, true, options.dtype)),
      dropout(child<nn::Dropout>("dropout", options.dropout)),
      linear2(child<nn::Linear>("linear2", options.hidden, options.width, true, options.dtype)),
      norm1(child<nn::LayerNorm>("norm1", Shape{options.width}, options.eps, true, options.dtype)),
      norm2(child<nn::LayerNorm>("norm2", Shape{options.width}, options.eps, true, options.dtype)),
      norm3(child<nn::LayerNorm>("norm3", Shape{options.width}, options.eps, true, options.dtype)),
      dropout1(child<nn::Dropout>("dropout1", options.dropout)),
      dropout2(child<nn::Dropout>("dropout2", options.dropout)),
      dropout3(child<nn::Dropout>("dropout3", options.dropout)),
      options_(options) {}

Attended TransformerDecoderLayer::operator()(const Tensor& x, const Tensor& memory,
                                             const MultiHeadCall& target,
                                             const MultiHeadCall& source) const {
  return (*this)(x, multihead_attn.project(memory, memory, !source.mask.all()), target, source);
}

Attended TransformerDecoderLayer::operator()(const Tensor& x, const MultiHead::Projected& memory,
                                             const MultiHeadCall& target,
                                             const MultiHeadCall& source) const {
  const auto forward_part = [&](const Tensor& in) {
    return dropout3(feed_forward(in, linear1, options_.activation, dropout, linear2));
  };
  const bool masked = !target.mask.all() || !source.mask.all();
  if (options_.pre_norm) {
    const Tensor h = x + dropout1(self_attn(guarded(x, masked, norm1), target).context);
    const Attended seen = multihead_attn.attend_to(guarded(h, masked, norm2), memory, source);
    const auto forward = [&](const Tensor& sum) { return sum + forward_part(norm3(sum)); };
    return {forwarded(guarded(h + dropout2(seen.context), masked, forward)), seen.weights};
  }
  const Tensor h = guarded(x + dropout1(self_attn(x, target).context), masked, norm1);
  const Attended seen = multihead_attn.attend_to(h, memory, source);
  const auto forward = [&](const Tensor& sum) {
    const Tensor in = norm2(sum);
    return norm3(in + forward_part(in));
  };
  return {forwarded(guarded(h + dropout2(seen.context), masked, forward)), seen.weights};
}

TransformerDecoder::TransformerDecoder(Index count, const TransformerOptions& options,
                                       bool final_norm)
    : layers(child<nn::ModuleList<TransformerDecoderLayer>>("layers")),
      norm(final_norm ? &child<nn::LayerNorm>("norm", Shape{options.width}, options.eps, true,
                                              options.dtype)
                      : nullptr) {
  if (count <= 0) {
    throw ValueError(fmt::format("transformer_decoder: {} layers must be positive", count));
  }
  for (Index i = 0; i < count; ++i) layers.add(options);
}

Tensor TransformerDecoder::operator()(const Tensor& x, const Tensor& memory, const Mask& mask,
                                      const Mask& memory_mask, std::vector<Tensor>* weights) const {
  Tensor h = x;
  for (const TransformerDecoderLayer& layer : layers) {
    Attended out = named("transformer_decoder", [&] {
      return layer(h, memory, {.mask = mask},
                   {.mask = memory_mask, .need_weights = weights != nullptr});
    });
    if (weights != nullptr) weights->push_back(out.weights);
    h = out.context;
  }
  const bool masked = !mask.all() || !memory_mask.all();
  return forwarded(norm == nullptr ? h : guarded(h, masked, *norm));
}

void TransformerDecoder::State::reorder(const Tensor& rows, bool sources) {
  for (KeyValueCache& cache : past) cache.reorder(rows);
  if (!sources) return;
  for (MultiHead::Projected& layer : memory) {
    layer = {index_select(layer.keys, 0, rows), index_select(layer.values, 0, rows)};
  }
  memory_mask = memory_mask.select_rows(rows);
}

TransformerDecoder::State TransformerDecoder::start(const Tensor& memory,
                                                    const Mask& memory_mask) const {
  State state;
  for (const TransformerDecoderLayer& layer : layers) {
    state.memory.push_back(layer.multihead_attn.project(memory, memory));
  }
  state.past.resize(layers.size());
  state.memory_mask = memory_mask;
  return state;
}

Tensor TransformerDecoder::step(const Tensor& x, State& state, std::vector<Tensor>* weights) const {
  if (state.past.size() != layers.size()) {
    throw ValueError(fmt::format("transformer_decoder: the state has {} layers, the decoder {}",
                                 state.past.size(), layers.size()));
  }
  Tensor h = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Attended out = named("transformer_decoder", [&] {
      return layers[i](h, state.memory[i], {.mask = Mask::causal(), .cache = &state.past[i]},
                       {.mask = state.memory_mask, .need_weights = weights != nullptr});
    });
    if (weights != nullptr) weights->push_back(out.weights);
    h = out.context;
  }
  return forwarded(norm == nullptr ? h : guarded(h, true, *norm));
}

}  // namespace heed::attention
