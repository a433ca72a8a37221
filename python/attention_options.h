// Options that more than one mechanism has.
#pragma once

#include "mechanism.h"

namespace heed::python {

/// What a mechanism looks at: [B, T, E], or sequences without padding.
using Batch = std::variant<Tensor, Packed>;

/// Throws ValueError where something was given that a packed batch has no use for.
inline void only_packed(const char* who, bool other, const char* what) {
  if (other) throw ValueError(std::string(who) + ": a packed batch " + what);
}

HEED_FIELDS(attention::RotaryScaling, kind, factor, original_length, beta_fast, beta_slow,
            whole_pairs, low_freq_factor, high_freq_factor, attention_factor)
HEED_FIELDS(attention::RotaryOptions, base, layout, width, scaling)
HEED_FIELDS(attention::HeadExtrasOptions, slots, bias_kv, zero)
HEED_FIELDS(attention::MixtureOfExpertsOptions, width, hidden, experts, chosen, activation, dropout,
            dtype)
template <>
struct FieldsOf<attention::MultiHeadOptions> {
  static constexpr bool kGiven = false;
  static constexpr std::size_t kWithoutNames = 2;  // MultiHead(64, 8)
  static const Fields& all();
};

/// A stack's layers take what their heads have beside by name, or layer by layer:
/// self_heads={"sinks": True}, or lambda layer: {"score": Additive(4, 4, 8)}. self_attention is a
/// name of self_attention_kinds(), of which some need max_length=, or lambda layer: a SelfAttention;
/// experts={"experts": 8}, or lambda layer: such a dict.
template <>
struct FieldsOf<attention::TransformerOptions> {
  static constexpr bool kGiven = false;
  static const Fields& all();
  static void finish(attention::TransformerOptions& options, const py::dict& given);
};

/// The kind of that name, made for a stack's layer. Throws as self_attention_maker().
std::shared_ptr<attention::SelfAttention> self_attention_of(
    const std::string& name, const attention::SelfAttentionSizes& sizes, Index layer);

HEED_GIVES(attention::Attended, context, weights)
HEED_GIVES(attention::StackOutput, output, weights)
HEED_GIVES(attention::Routed, balance, chosen, gates, load)
HEED_GIVES(attention::TransformerLayerOutput, context, weights)
HEED_GIVES(attention::TransformerOutput, output, weights)

}  // namespace heed::python
