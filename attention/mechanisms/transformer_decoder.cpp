#include "transformer_decoder.h"

#include <fmt/format.h>

#include "../../autograd/ops/elementwise.h"
#include "../../core/error.h"
#include "../nan_guard.h"
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
                                             const Terms& target, const Terms& source) const {
  return (*this)(x, multihead_attn.project(memory, memory, source.mask), target, source);
}

Attended TransformerDecoderLayer::operator()(const Tensor& x, const Memory& memory,
                                             const Terms& target, const Terms& source,
                                             KeyValueCache* cache) const {
  const auto attend = [&](const Tensor& in) { return self_attn(in, in, in, target, cache); };
  const auto forward_part = [&](const Tensor& in) {
    return dropout3(feed_forward(in, linear1, options_.activation, dropout, linear2));
  };
  const bool masked = !target.mask.all() || !source.mask.all() || !memory.mask().all();
  if (options_.pre_norm) {
    const Tensor h = x + dropout1(attend(guarded(x, masked, norm1)).context);
    const Attended seen = multihead_attn.attend_to(guarded(h, masked, norm2), memory, source);
    const auto forward = [&](const Tensor& sum) { return sum + forward_part(norm3(sum)); };
    return {forwarded(guarded(h + dropout2(seen.context), masked, forward)), seen.weights};
  }
  const Tensor h = guarded(x + dropout1(attend(x).context), masked, norm1);
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

TransformerOutput TransformerDecoder::operator()(const Tensor& x, const Tensor& memory,
                                                 const Terms& target, const Terms& source) const {
  TransformerOutput out{x};
  for (const TransformerDecoderLayer& layer : layers) {
    const Attended seen =
        named("transformer_decoder", [&] { return layer(out.output, memory, target, source); });
    out.output = seen.context;
    if (source.need_weights) out.weights.push_back(seen.weights);
  }
  const bool masked = !target.mask.all() || !source.mask.all();
  if (norm != nullptr) out.output = guarded(out.output, masked, *norm);
  out.output = forwarded(out.output);
  return out;
}

void TransformerDecoder::State::reorder(const Tensor& rows, bool sources) {
  for (KeyValueCache& cache : past) cache.reorder(rows);
  if (!sources) return;
  for (Memory& layer : memory) layer = layer.rows(rows);
}

TransformerDecoder::State TransformerDecoder::start(const Tensor& memory,
                                                    const Mask& memory_mask) const {
  State state;
  for (const TransformerDecoderLayer& layer : layers) {
    state.memory.push_back(layer.multihead_attn.project(memory, memory, memory_mask));
  }
  state.past.resize(layers.size());
  return state;
}

TransformerOutput TransformerDecoder::step(const Tensor& x, State& state, const Terms& target,
                                           const Terms& source) const {
  if (state.past.size() != layers.size()) {
    throw ValueError(fmt::format("transformer_decoder: the state has {} layers, the decoder {}",
                                 state.past.size(), layers.size()));
  }
  Terms causal = target;
  causal.mask = Mask::causal() & target.mask;
  TransformerOutput out{x};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Attended seen = named("transformer_decoder", [&] {
      return layers[i](out.output, state.memory[i], causal, source, &state.past[i]);
    });
    out.output = seen.context;
    if (source.need_weights) out.weights.push_back(seen.weights);
  }
  if (norm != nullptr) out.output = guarded(out.output, true, *norm);
  out.output = forwarded(out.output);
  return out;
}

}  // namespace heed::attention
