#include "transformer_decoder.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/decoder_checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "layer_experts.h"

namespace heed::attention {

namespace {

TransformerOptions checked(const TransformerOptions& options) {
  if (options.parallel) throw ValueError("transformer_decoder: its parts are not parallel");
  if (options.both_norms && !options.pre_norm) {
    throw ValueError("transformer_decoder: both_norms adds to pre_norm");
  }
  return options;
}

// Of steps x behind a past: the first lengths[b], which alone count for experts; none: all.
Mask counted(std::vector<Index> lengths, const Tensor& x, const KeyValueCache& past) {
  if (lengths.empty()) return Mask();
  for (Index& each : lengths) each += past.length();
  return Mask::lengths(lengths, past.length() + x.size(1));
}

void check_source(const Memory& memory, const Tensor& x) {
  const Index B = memory.keys().size(0);
  check_batch("transformer_decoder", "x", x);
  if (x.size(0) == B) return;
  throw ShapeError(
      fmt::format("transformer_decoder: {} rows of words and {} of the source", x.size(0), B));
}

}  // namespace

TransformerDecoderLayer::TransformerDecoderLayer(const TransformerOptions& options, Index layer)
    : options_(checked(options)),
      experts_(expert_options(options, layer)),
      self_attn(shared_child("self_attn", make_self_attention(options, layer))),
      multihead_attn(child<MultiHead>("multihead_attn", memory_heads(options, layer))),
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
      norm3(child<TransformerNorm>("norm3", options)),
      norm1_after(options.both_norms ? &child<TransformerNorm>("norm1_after", options) : nullptr),
      norm2_after(options.both_norms ? &child<TransformerNorm>("norm2_after", options) : nullptr),
      norm3_after(options.both_norms ? &child<TransformerNorm>("norm3_after", options) : nullptr),
      dropout1(child<nn::Dropout>("dropout1", options.dropout)),
      dropout2(child<nn::Dropout>("dropout2", options.dropout)),
      dropout3(child<nn::Dropout>("dropout3", options.dropout)) {}

TransformerLayerOutput TransformerDecoderLayer::operator()(const Tensor& x, const Tensor& memory,
                                                           const Terms& target,
                                                           const Terms& source) const {
  const Scope scope(*this);
  return (*this)(x, multihead_attn.project(memory, memory, source.mask), target, source);
}

TransformerLayerOutput TransformerDecoderLayer::operator()(const Tensor& in, const Memory& memory,
                                                           const Terms& target, const Terms& source,
                                                           KeyValueCache* cache) const {
  const Scope scope(*this);
  const bool masked = !target.mask.all() || !source.mask.all() || !memory.mask().all();
  const ByRows first(masked, norm1), second(masked, norm2);
  Attended own;
  TransformerLayerOutput out;
  const auto attend = [&](const Tensor& x) {
    own = self_attn(x, target, cache);
    return dropout1(normed(norm1_after, masked, own.context));
  };
  const auto look = [&](const Tensor& x) {
    static_cast<Attended&>(out) = multihead_attn.attend_to(x, memory, source);
    return dropout2(normed(norm2_after, masked, out.context));
  };
  const auto read = [&](const Tensor& x) {
    const Tensor y =
        mixture != nullptr
            ? by_experts(*mixture, x, target.mask, options_.heads, cache, out.routed)
            : feed_forward(x, *linear1, linear_gate, options_.activation, dropout, *linear2);
    return dropout3(normed(norm3_after, false, y));
  };
  Tensor x = in;
  if (options_.pre_norm) {
    x = x + attend(first(x));
    x = x + look(second(x));
    x = x + guarded(x, masked, [&](const Tensor& y) { return read(norm3(y)); });
  } else {
    x = first(x + attend(x));
    x = second(x + look(x));
    x = guarded(x, masked, [&](const Tensor& y) { return norm3(y + read(y)); });
  }
  out.context = forwarded(x);
  out.for_above = own.for_above;
  return out;
}

TransformerDecoder::TransformerDecoder(Index count, const TransformerOptions& options,
                                       bool final_norm)
    : layers(child<nn::ModuleListOf<TransformerDecoderLayer>>("layers")),
      norm(final_norm ? &child<TransformerNorm>("norm", options) : nullptr) {
  if (count <= 0) {
    throw ValueError(fmt::format("transformer_decoder: {} layers must be positive", count));
  }
  for (Index i = 0; i < count; ++i) layers.add(options, i);
}

TransformerOutput TransformerDecoder::operator()(const Tensor& x, const Tensor& memory,
                                                 const Terms& target, const Terms& source) const {
  const Scope scope(*this);
  TransformerOutput out;
  out.output = x;
  Terms own = target;
  for (const TransformerDecoderLayer& layer : layers) {
    const TransformerLayerOutput seen =
        named("transformer_decoder", [&] { return layer(out.output, memory, own, source); });
    out.output = seen.context;
    if (seen.for_above.defined()) own.from_below = seen.for_above;
    if (source.need_weights) out.weights.push_back(seen.weights);
    if (layer.mixture != nullptr) out.routed.push_back(seen.routed);
  }
  const bool masked = !target.mask.all() || !source.mask.all();
  out.output = forwarded(normed(norm, masked, out.output));
  return out;
}

TransformerOutput TransformerDecoder::operator()(const Packed& x, const Packed& memory,
                                                 const Terms& target, const Terms& source) const {
  const Scope scope(*this);
  check_offsets("transformer_decoder", x.offsets, x.tokens);
  check_offsets("transformer_decoder", memory.offsets, memory.tokens);
  Terms own = target, other = source;
  own.mask = Mask::segments(x.offsets) & target.mask;
  other.mask = Mask::segments(x.offsets, memory.offsets) & source.mask;
  TransformerOutput out = (*this)(unsqueeze(x.tokens, 0), unsqueeze(memory.tokens, 0), own, other);
  out.output = squeeze(out.output, 0);
  return out;
}

void TransformerDecoder::State::reorder(const Tensor& rows, bool sources) {
  std::vector<Memory> carried = memory;
  if (sources) {
    for (Memory& layer : carried) layer = layer.rows(rows);  // or it throws
  }
  for (KeyValueCache& cache : past) cache.reorder(rows);
  memory = std::move(carried);
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

void TransformerDecoder::read(const Tensor& more, State& state) const {
  std::vector<Memory> longer;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i >= state.memory.size() || !state.memory[i].mask().all()) {
      throw ValueError(
          "transformer_decoder: only a memory of all layers, without a mask, reads on");
    }
    const Memory& old = state.memory[i];
    const Memory added = layers[i].multihead_attn.project(more, more);
    longer.push_back(old.with(concat({old.keys(), added.keys()}, -2),
                              concat({old.values(), added.values()}, -2)));
  }
  state.memory = std::move(longer);
}

TransformerOutput TransformerDecoder::step(const Tensor& word, State& state, const Terms& terms,
                                           const Terms& target) const {
  const Scope scope(*this);
  check_defined("transformer_decoder", word, "word");
  TransformerOutput out = go_on(unsqueeze(word, 1), state, terms, {}, target, true);
  out.output = squeeze(out.output, 1);
  for (Tensor& weights : out.weights) weights = squeeze(weights, 2);
  return out;
}

TransformerOutput TransformerDecoder::run(const Tensor& x, State& state, const Terms& terms,
                                          const std::vector<Index>& lengths,
                                          const Terms& target) const {
  const Scope scope(*this);
  const bool cached = !recording();
  const bool begun = !state.past.empty() && state.past.front().length() > 0;
  if (!cached && begun) {
    throw GradError("transformer_decoder: a state that has made steps; go on under NoGrad");
  }
  TransformerOutput out = go_on(x, state, terms, lengths, target, cached);
  state.ran = !cached;
  return out;
}

TransformerOutput TransformerDecoder::go_on(const Tensor& x, State& state, const Terms& terms,
                                            const std::vector<Index>& lengths, const Terms& target,
                                            bool cached) const {
  const Scope scope(*this);
  check_layers("transformer_decoder", state.past.size(), layers.size());
  check_layers("transformer_decoder", state.memory.size(), layers.size());
  if (state.ran) {
    throw GradError("transformer_decoder: a state that was run while recording has no past");
  }
  for (const Memory& memory : state.memory) check_source(memory, x);
  for (std::size_t i = 0; cached && i < layers.size(); ++i) {
    const MultiHead& heads = layers[i].multihead_attn;
    const Normaliser* by = terms.normaliser != nullptr ? terms.normaliser : heads.normaliser;
    check_looks_anew("transformer_decoder", heads.score, by);
  }
  std::vector<CacheOfCall> past = caches_of_call(state.past);
  Terms causal = target;
  causal.mask = Mask::causal() & target.mask;
  TransformerOutput out;
  out.output = zero_elsewhere("transformer_decoder", x, lengths);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Terms own = causal;
    if (layers[i].mixture != nullptr) own.mask = own.mask & counted(lengths, x, *past[i].get());
    const TransformerLayerOutput seen = named("transformer_decoder", [&] {
      return layers[i](out.output, state.memory[i], own, terms, cached ? past[i].get() : nullptr);
    });
    out.output = seen.context;
    if (seen.for_above.defined()) causal.from_below = seen.for_above;
    if (terms.need_weights) out.weights.push_back(seen.weights);
    if (layers[i].mixture != nullptr) out.routed.push_back(seen.routed);
  }
  out.output = normed(norm, true, out.output);
  out.output = forwarded(zero_elsewhere("transformer_decoder", out.output, lengths));
  for (CacheOfCall& each : past) each.keep();
  return out;
}

}  // namespace heed::attention
