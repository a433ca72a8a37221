#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "../core/error.h"
#include "../core/quoted.h"
#include "families.h"

namespace heed::pretrained {
namespace {

using attention::RotaryScalingKind;

// Of heads that wide. Of `rope_scaling`, or of `rope_parameters`, as newer files say it; `trained`
// are the steps of max_position_embeddings.
attention::RotaryOptions rotary_of(const FamilyConfig& config, Index width, Index trained) {
  const std::string in =
      config.has("rope_parameters.rope_type") || config.has("rope_parameters.rope_theta")
          ? "rope_parameters."
          : "rope_scaling.";
  attention::RotaryOptions out{
      .base = config.number(in + "rope_theta", config.number("rope_theta", 10000)),
      .layout = attention::RotaryLayout::halves};
  if (config.number("partial_rotary_factor", config.number(in + "partial_rotary_factor", 1)) != 1) {
    config.refuse("partial_rotary_factor", "only 1 is known");
  }
  const std::string kind = config.text(in + "rope_type", config.text(in + "type", "default"));
  if (kind == "default") return out;
  static const std::map<std::string, RotaryScalingKind> kinds = {
      {"linear", RotaryScalingKind::linear},
      {"dynamic", RotaryScalingKind::dynamic_ntk},
      {"yarn", RotaryScalingKind::yarn},
      {"llama3", RotaryScalingKind::llama3}};
  const auto found = kinds.find(kind);
  if (found == kinds.end()) config.refuse(in + "rope_type", in_quotes(kind) + " is not known");
  if (!config.has(in + "factor")) config.refuse(in + "factor", "is missing");
  out.scaling = {.kind = found->second, .factor = config.number(in + "factor", 1)};
  if (found->second != RotaryScalingKind::linear) {
    const std::string length = in + "original_max_position_embeddings";
    out.scaling.original_length =
        found->second == RotaryScalingKind::dynamic_ntk ? trained : config.size(length, trained);
  }
  if (found->second == RotaryScalingKind::yarn) {
    out.scaling.beta_fast = config.number(in + "beta_fast", 32);
    out.scaling.beta_slow = config.number(in + "beta_slow", 1);
    out.scaling.whole_pairs = config.flag(in + "truncate", true);
    out.scaling.attention_factor = config.number(in + "attention_factor", 0);
    if (config.has(in + "mscale") || config.has(in + "mscale_all_dim")) {
      config.refuse(in + "mscale", "is not known");
    }
  }
  if (found->second == RotaryScalingKind::llama3) {
    out.scaling.low_freq_factor = config.number(in + "low_freq_factor", 1);
    out.scaling.high_freq_factor = config.number(in + "high_freq_factor", 4);
  }
  try {
    attention::rotary_frequencies(width, out.base, out.scaling);
    attention::rotary_attention_factor(out.scaling);
  } catch (const ValueError& error) {
    config.refuse(in.substr(0, in.size() - 1), error.message());
  }
  return out;
}

// How many steps a scaling makes of those that were trained.
Index context_of(const attention::RotaryScaling& scaling, Index trained) {
  if (scaling.kind == RotaryScalingKind::none) return trained;
  const bool apart =
      scaling.kind == RotaryScalingKind::yarn || scaling.kind == RotaryScalingKind::llama3;
  const Index from = apart ? scaling.original_length : trained;
  constexpr double kMost = 0x1p31;  // as sizes are
  const double reached = std::min(scaling.factor * static_cast<double>(from), kMost);
  return std::max(trained, static_cast<Index>(reached));
}

// How many steps each sees, itself among them; 0: all.
Index window_of(const FamilyConfig& config, const std::string& family, Index layers) {
  constexpr Index kUsual = 4096;
  const char* const key = "sliding_window";
  if (family == "mistral") return config.is_null(key) ? 0 : config.size(key, kUsual);
  if (family != "qwen2" || !config.flag("use_sliding_window", false)) return 0;
  // The layers below see all.
  const double first = config.number("max_window_layers", 28);
  if (first >= static_cast<double>(layers)) return 0;
  if (first != 0) config.refuse("max_window_layers", "a window in some layers is not known");
  return config.is_null(key) ? 0 : config.size(key, kUsual);
}

// What newer files say of each layer must be what is built, which is the same in all.
void check_layer_types(const FamilyConfig& config, Index window, Index layers) {
  const char* const key = "layer_types";
  if (config.has(key)) config.refuse(key, "must be a list");
  const std::vector<std::string> types = config.texts(key);
  if (types.empty()) return;
  if (static_cast<Index>(types.size()) != layers) {
    config.refuse(key, fmt::format("{} types for {} layers", types.size(), layers));
  }
  const char* const built = window > 0 ? "sliding_attention" : "full_attention";
  for (const std::string& type : types) {
    if (type != built) config.refuse(key, in_quotes(type) + ", where " + built + " is built");
  }
}

// How many there are of keys and values: as many as of queries where the file says null.
Index kv_heads_of(const FamilyConfig& config, const std::string& family, Index heads) {
  const char* const key = "num_key_value_heads";
  if (config.is_null(key)) return heads;
  return config.size(key, family == "mistral" ? 8 : family == "qwen2" ? 32 : heads);
}

}  // namespace

std::unique_ptr<DecoderOnly> load_llama(FamilyFile& file) {
  const FamilyConfig& config = file.config;
  file.strip("model.");
  const std::string family = config.text("model_type", "llama");
  const Index width = config.size("hidden_size"), heads = config.size("num_attention_heads"),
              kv_heads = kv_heads_of(config, family, heads),
              layers = config.size("num_hidden_layers"), hidden = config.size("intermediate_size"),
              words = config.size("vocab_size");
  if (!config.has("head_dim") && width % heads != 0) {
    config.refuse("num_attention_heads", fmt::format("{} of width {}", heads, width));
  }
  if (heads % kv_heads != 0) {
    config.refuse("num_key_value_heads", fmt::format("{} for {} heads", kv_heads, heads));
  }
  const Index head_width = config.size("head_dim", width / heads);
  file.expect("embed_tokens.weight", {words, width});
  for (Index i = 0; i < layers; ++i) {
    const std::string layer = fmt::format("layers.{}.", i);
    file.expect(layer + "self_attn.q_proj.weight", {heads * head_width, width});
    file.expect(layer + "self_attn.k_proj.weight", {kv_heads * head_width, width});
    file.expect(layer + "self_attn.v_proj.weight", {kv_heads * head_width, width});
    file.expect(layer + "mlp.gate_proj.weight", {hidden, width});
  }
  if (activation(config, "hidden_act", "silu") != attention::Activation::silu) {
    config.refuse("hidden_act", "only silu is known");
  }
  const bool tied = config.flag("tie_word_embeddings", false);
  if (!tied) file.expect("lm_head.weight", {words, width});
  const bool biased = config.flag("attention_bias", false), qwen = family == "qwen2";
  const Index trained = config.size("max_position_embeddings", qwen                  ? 32768
                                                               : family == "mistral" ? 131072
                                                                                     : 2048);
  const attention::RotaryOptions rotary = rotary_of(config, head_width, trained);
  const Index window = window_of(config, family, layers);
  check_layer_types(config, window, layers);
  const double dropout = config.number("attention_dropout", 0);
  const DecoderOnlyOptions options{.vocabulary = words,
                                   .context = context_of(rotary.scaling, trained),
                                   .layers = layers,
                                   .stack = {.width = width,
                                             .heads = heads,
                                             .kv_heads = kv_heads,
                                             .hidden = hidden,
                                             .dropout = 0,
                                             .pre_norm = true,
                                             .norm = attention::Norm::rms,
                                             .activation = attention::Activation::swiglu,
                                             .bias = config.flag("mlp_bias", false),
                                             .rotary = true,
                                             .rotary_options = rotary,
                                             .eps = config.number("rms_norm_eps", 1e-6),
                                             .self_heads =
                                                 [=](attention::MultiHeadOptions own, Index) {
                                                   own.head_width = head_width;
                                                   own.dropout = dropout;
                                                   own.bias = biased || qwen;
                                                   own.out_bias = biased;
                                                   return own;
                                                 }},
                                   .tied = tied,
                                   .window = window};
  std::vector<Rename> renames = {
      {"embed_tokens.", "embedding."},
      {"layers.*.input_layernorm.", "stack.layers.*.norm1."},
      {"layers.*.self_attn.o_proj.", "stack.layers.*.self_attn.out_proj."},
      {"layers.*.self_attn.rotary_emb.inv_freq", ""},
      {"layers.*.post_attention_layernorm.", "stack.layers.*.norm2."},
      {"layers.*.mlp.gate_proj.", "stack.layers.*.linear1."},
      {"layers.*.mlp.up_proj.", "stack.layers.*.linear_gate."},
      {"layers.*.mlp.down_proj.", "stack.layers.*.linear2."},
      {"norm.", "stack.norm."},
      tied ? Rename{"lm_head.weight", ""} : Rename{"lm_head.", "head."}};
  join_heads(renames, "layers.*.self_attn.", {"q_proj", "k_proj", "v_proj"},
             "stack.layers.*.self_attn");
  return file.load<DecoderOnly>(options, renames);
}

}  // namespace heed::pretrained
