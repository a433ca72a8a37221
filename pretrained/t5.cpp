#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "../core/quoted.h"
#include "families.h"

namespace heed::pretrained {
namespace {

using attention::Activation;

Activation feed_forward_of(const FamilyConfig& config) {
  static const std::map<std::string, Activation> kinds = {
      {"relu", Activation::relu},
      {"gelu", Activation::gelu},
      {"gelu_new", Activation::gelu_tanh},
      {"silu", Activation::silu},
      {"gated-gelu", Activation::geglu_tanh},  // as their program takes it
      {"gated-gelu_new", Activation::geglu_tanh},
      {"gated-silu", Activation::swiglu}};
  const std::string kind = config.text("feed_forward_proj", "relu");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) config.refuse("feed_forward_proj", in_quotes(kind) + " is not known");
  return found->second;
}

std::vector<Rename> renames(bool gated, bool tied) {
  std::vector<Rename> out = {
      {"shared.", "source."},
      {"encoder.embed_tokens.weight", ""},
      {"decoder.embed_tokens.weight", ""},
      {"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.", "encoder_bias."},
      {"decoder.block.0.layer.0.SelfAttention.relative_attention_bias.", "decoder_bias."},
      // Some files have one more, which nobody reads.
      {"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", ""},
      {"encoder.final_layer_norm.", "encoder.norm."},
      {"decoder.final_layer_norm.", "decoder.norm."},
      tied ? Rename{"lm_head.weight", ""} : Rename{"lm_head.", "projection."}};
  const auto attention = [&](const std::string& from, const std::string& to) {
    join_heads(out, from, {"q", "k", "v"}, to);
    out.push_back({from + "o.", to + ".out_proj."});
  };
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string from = stack + ".block.*.layer.", to = stack + ".layers.*.";
    const std::string last = stack == "encoder" ? "1" : "2";
    attention(from + "0.SelfAttention.", to + "self_attn");
    out.push_back({from + "0.layer_norm.", to + "norm1."});
    if (stack == "decoder") {
      attention(from + "1.EncDecAttention.", to + "multihead_attn");
      out.push_back({from + "1.layer_norm.", to + "norm2."});
    }
    const std::string read = from + last + ".DenseReluDense.";
    out.push_back({read + (gated ? "wi_0." : "wi."), to + "linear1."});
    if (gated) out.push_back({read + "wi_1.", to + "linear_gate."});
    out.push_back({read + "wo.", to + "linear2."});
    out.push_back({from + last + ".layer_norm.", to + (last == "1" ? "norm2." : "norm3.")});
  }
  return out;
}

}  // namespace

std::unique_ptr<SequenceModel> load_t5(FamilyFile& file) {
  const FamilyConfig& config = file.config;
  const Index width = config.size("d_model"), heads = config.size("num_heads"),
              head_width = config.size("d_kv"), hidden = config.size("d_ff"),
              layers = config.size("num_layers"),
              decoder_layers = config.size("num_decoder_layers", layers),
              words = config.size("vocab_size"),
              buckets = config.size("relative_attention_num_buckets", 32);
  const Activation read = feed_forward_of(config);
  const bool gated = attention::is_gated(read), tied = config.flag("tie_word_embeddings", true);
  file.expect("shared.weight", {words, width});
  if (!tied) file.expect("lm_head.weight", {words, width});
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string own = "SelfAttention.", first = stack + ".block.0.layer.0." + own;
    file.expect(first + "relative_attention_bias.weight", {buckets, heads});
    for (Index i = 0; i < (stack == "encoder" ? layers : decoder_layers); ++i) {
      const std::string block = fmt::format("{}.block.{}.layer.", stack, i);
      file.expect(block + "0." + own + "q.weight", {heads * head_width, width});
      file.expect(fmt::format("{}{}.DenseReluDense.{}.weight", block, stack == "encoder" ? 1 : 2,
                              gated ? "wi_0" : "wi"),
                  {hidden, width});
    }
  }
  const auto unscaled = [=](attention::MultiHeadOptions own, Index) {
    own.head_width = head_width;
    own.scale = 1.0;
    return own;
  };
  const SequenceModelOptions options{
      .source_words = words,
      .target_words = words,
      .encoder_layers = layers,
      .decoder_layers = decoder_layers,
      .stack = {.width = width,
                .heads = heads,
                .hidden = hidden,
                .dropout = config.number("dropout_rate", 0.1),
                .pre_norm = true,
                .norm = attention::Norm::rms,
                .activation = read,
                .bias = false,
                .eps = config.number("layer_norm_epsilon", 1e-6),
                .self_heads = unscaled,
                .memory_heads = unscaled},
      .final_norm = true,
      .shared = true,
      .output_scale = tied ? 1 / std::sqrt(static_cast<double>(width)) : 1,
      .biases = {.heads = heads,
                 .buckets = buckets,
                 .max_distance = config.size("relative_attention_max_distance", 128)},
      .tied = tied};
  return file.load<SequenceModel>(options, renames(gated, tied));
}

}  // namespace heed::pretrained
