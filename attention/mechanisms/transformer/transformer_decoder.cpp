#include "transformer_decoder.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/ops/shape.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {

namespace {

TransformerOptions checked(const TransformerOptions& options) {
  if (options.parallel) throw ValueError("transformer_decoder: its parts are not parallel");
  if (options.both_norms && !options.pre_norm) {
    throw ValueError("transformer_decoder: both_norms adds to pre_norm");
  }
  return options;
}

}  // namespace

TransformerDecoderLayer::TransformerDecoderLayer(const TransformerOptions& options, Index layer)
    : self_attn(shared_child("self_attn", make_self_attention(checked(options), layer))),
      multihead_attn(child<MultiHead>("multihead_attn", memory_heads(options, layer))),
      linear1(child<nn::Linear>("linear1", options.width, options.hidden, true, options.dtype)),
      linear_gate(is_gated(options.activation)
                      ? &child<nn::Linear>("linear_gate", options.width, options.hidden, true,
                                           options.dtype)
                      : nullptr),
      dropout(child<nn::Dropout>("dropout", options.dropout)),
      linear2(child<nn::Linear>("linear2", options.hidden, options.width, true, options.dtype)),
      norm1(child_norm("norm1", options)),
      norm2(child_norm("norm2", options)),
      norm3(child_norm("norm3", options)),
      norm1_after(options.both_norms ? &child_norm("norm1_after", options) : nullptr),
      norm2_after(options.both_norms ? &child_norm("norm2_after", options) : nullptr),
      norm3_after(options.both_norms ? &child_norm("norm3_after", options) : nullptr),
      dropout1(child<nn::Dropout>("dropout1", options.dropout)),
      dropout2(child<nn::Dropout>("dropout2", options.dropout)),
      dropout3(child<nn::Dropout>("dropout3", options.dropout)),
      options_(options) {}

TransformerNorm& TransformerDecoderLayer::child_norm(const char* name,
                                                     const TransformerOptions& options) {
  return child<TransformerNorm>(name, options.norm, options.width, options.eps, options.dtype);
}

Attended TransformerDecoderLayer::operator()(const Tensor& x, const Tensor& memory,
                                             const Terms& target, const Terms& source) const {
  return (*this)(x, multihead_attn.project(memory, memory, source.mask), target, source);
}

Attended TransformerDecoderLayer::operator()(const Tensor& in, const Memory& memory,
                                             const Terms& target, const Terms& source,
                                             KeyValueCache* cache) const {
  const bool masked = !target.mask.all() || !source.mask.all() || !memory.mask().all();
  const ByRows first(masked, norm1), second(masked, norm2), third(masked, norm3);
  const auto after = [&](const Tensor& x, const TransformerNorm* norm) {
    return norm != nullptr ? ByRows(masked, *norm)(x) : x;
  };
  Attended out;
  const auto attend = [&](const Tensor& x) {
    return dropout1(after(self_attn(x, target, cache).context, norm1_after));
  };
  const auto look = [&](const Tensor& x) {
    out = multihead_attn.attend_to(x, memory, source);
    return dropout2(after(out.context, norm2_after));
  };
  const auto forward = [&](const Tensor& x) {
    return feed_forward(x, linear1, linear_gate, options_.activation, dropout, linear2);
  };
  const ByRows by_rows(masked, forward);
  const auto read = [&](const Tensor& x) { return dropout3(after(by_rows(x), norm3_after)); };
  Tensor x = in;
  if (options_.pre_norm) {
    x = x + attend(first(x));
    x = x + look(second(x));
    x = x + read(third(x));
  } else {
    x = first(x + attend(x));
    x = second(x + look(x));
    x = third(x + read(x));
  }
  out.context = forwarded(x);
  return out;
}

TransformerDecoder::TransformerDecoder(Index count, const TransformerOptions& options,
                                       bool final_norm)
    : layers(child<nn::ModuleList<TransformerDecoderLayer>>("layers")),
      norm(final_norm ? &child<TransformerNorm>("norm", options.norm, options.width, options.eps,
                                                options.dtype)
                      : nullptr) {
  if (count <= 0) {
    throw ValueError(fmt::format("transformer_decoder: {} layers must be positive", count));
  }
  for (Index i = 0; i < count; ++i) layers.add(options, i);
}

StackOutput TransformerDecoder::operator()(const Tensor& x, const Tensor& memory,
                                           const Terms& target, const Terms& source) const {
  StackOutput out{x};
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

StackOutput TransformerDecoder::step(const Tensor& word, State& state, const Terms& terms,
                                     const Terms& target) const {
  check_defined("transformer_decoder", word, "word");
  StackOutput out = run(unsqueeze(word, 1), state, terms, {}, target);
  out.output = squeeze(out.output, 1);
  for (Tensor& weights : out.weights) weights = squeeze(weights, 2);
  return out;
}

StackOutput TransformerDecoder::run(const Tensor& x, State& state, const Terms& terms,
                                    const std::vector<Index>& lengths, const Terms& target) const {
  if (state.past.size() != layers.size()) {
    throw ValueError(fmt::format("transformer_decoder: the state has {} layers, the decoder {}",
                                 state.past.size(), layers.size()));
  }
  const bool cached = !recording();
  if (!cached && state.past[0].length() > 0) {
    throw GradError("transformer_decoder: a state that has made steps; go on under NoGrad");
  }
  Terms causal = target;
  causal.mask = Mask::causal() & target.mask;
  StackOutput out{zero_elsewhere("transformer_decoder", x, lengths)};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Attended seen = named("transformer_decoder", [&] {
      return layers[i](out.output, state.memory[i], causal, terms,
                       cached ? &state.past[i] : nullptr);
    });
    out.output = seen.context;
    if (terms.need_weights) out.weights.push_back(seen.weights);
  }
  if (norm != nullptr) out.output = guarded(out.output, true, *norm);
  out.output = forwarded(zero_elsewhere("transformer_decoder", out.output, lengths));
  return out;
}

}  // namespace heed::attention
