#include "transformer_options.h"

#include "../../../core/error.h"

namespace heed::attention {

MultiHeadOptions self_heads(const TransformerOptions& options, Index layer) {
  MultiHeadOptions out{.width = options.width,
                       .heads = options.heads,
                       .kv_heads = options.kv_heads,
                       .dropout = options.dropout,
                       .bias = options.bias,
                       .rotary = options.rotary,
                       .rotary_options = options.rotary_options,
                       .dtype = options.dtype};
  return options.self_heads ? options.self_heads(std::move(out), layer) : out;
}

MultiHeadOptions memory_heads(const TransformerOptions& options, Index layer) {
  MultiHeadOptions out{.width = options.width,
                       .heads = options.heads,
                       .kv_heads = options.kv_heads,
                       .dropout = options.dropout,
                       .bias = options.bias,
                       .dtype = options.dtype};
  return options.memory_heads ? options.memory_heads(std::move(out), layer) : out;
}

MixtureOfExpertsOptions expert_options(const TransformerOptions& options, Index layer) {
  MixtureOfExpertsOptions out{.width = options.width,
                              .hidden = options.hidden,
                              .activation = options.activation,
                              .dropout = options.dropout,
                              .dtype = options.dtype};
  return options.experts ? options.experts(out, layer) : out;
}

std::shared_ptr<SelfAttention> make_self_attention(const TransformerOptions& options, Index layer) {
  if (!options.self_attention) return std::make_shared<MultiHead>(self_heads(options, layer));
  if (options.self_heads) {
    throw ValueError(
        "transformer: self_heads are of MultiHead, which another self_attention is not");
  }
  return options.self_attention(layer);
}

}  // namespace heed::attention
