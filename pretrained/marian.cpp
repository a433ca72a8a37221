#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "families.h"

namespace heed::pretrained {
namespace {

std::vector<Rename> renames(bool shared) {
  std::vector<Rename> out = {{"encoder.embed_positions.weight", ""},  // sines and cosines
                             {"decoder.embed_positions.weight", ""},
                             {"lm_head.weight", ""},
                             {"final_logits_bias", "tied_bias"}};
  if (shared) {
    out.push_back({"shared.", "source."});
    out.push_back({"encoder.embed_tokens.weight", ""});
    out.push_back({"decoder.embed_tokens.weight", ""});
  } else {
    out.push_back({"encoder.embed_tokens.", "source."});
    out.push_back({"decoder.embed_tokens.", "target."});
  }
  const auto attention = [&](const std::string& from, const std::string& to) {
    join_heads(out, from, {"q_proj", "k_proj", "v_proj"}, to);
    out.push_back({from + "out_proj.", to + ".out_proj."});
  };
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string layer = stack + ".layers.*.";
    attention(layer + "self_attn.", layer + "self_attn");
    out.push_back({layer + "self_attn_layer_norm.", layer + "norm1."});
    if (stack == "decoder") {
      attention(layer + "encoder_attn.", layer + "multihead_attn");
      out.push_back({layer + "encoder_attn_layer_norm.", layer + "norm2."});
    }
    out.push_back({layer + "fc1.", layer + "linear1."});
    out.push_back({layer + "fc2.", layer + "linear2."});
    out.push_back(
        {layer + "final_layer_norm.", layer + (stack == "encoder" ? "norm2." : "norm3.")});
  }
  return out;
}

}  // namespace

std::unique_ptr<SequenceModel> load_marian(FamilyFile& file) {
  const FamilyConfig& config = file.config;
  file.strip("model.");
  config.want("normalize_before", false);
  config.want("normalize_embedding", false);
  config.want("add_final_layer_norm", false);
  config.want("static_position_embeddings", true);
  config.want("tie_word_embeddings", true);
  const Index width = config.size("d_model"), heads = config.size("encoder_attention_heads"),
              hidden = config.size("encoder_ffn_dim"), words = config.size("vocab_size"),
              target_words = config.size("decoder_vocab_size", words);
  if (config.size("decoder_attention_heads") != heads) {
    config.refuse("decoder_attention_heads", "must be those of the encoder");
  }
  if (config.size("decoder_ffn_dim") != hidden) {
    config.refuse("decoder_ffn_dim", "must be that of the encoder");
  }
  if (width % (2 * heads) != 0 && (width % heads != 0 || width % 2 != 0)) {
    config.refuse("encoder_attention_heads", fmt::format("{} of width {}", heads, width));
  }
  const bool shared = config.flag("share_encoder_decoder_embeddings", true);
  file.expect(shared ? "shared.weight" : "encoder.embed_tokens.weight", {words, width});
  if (!shared) file.expect("decoder.embed_tokens.weight", {target_words, width});
  if (shared && target_words != words) {
    config.refuse("decoder_vocab_size", "must be vocab_size where the embedding is shared");
  }
  file.flatten("final_logits_bias");
  const Index encoder_layers = config.size("encoder_layers"),
              decoder_layers = config.size("decoder_layers");
  for (const std::string stack : {"encoder", "decoder"}) {
    for (Index i = 0; i < (stack == "encoder" ? encoder_layers : decoder_layers); ++i) {
      const std::string layer = fmt::format("{}.layers.{}.", stack, i);
      file.expect(layer + "self_attn.q_proj.weight", {width, width});
      file.expect(layer + "fc1.weight", {hidden, width});
    }
  }
  const double dropout = config.number("attention_dropout", 0);
  const auto weights_dropped = [=](attention::MultiHeadOptions own, Index) {
    own.dropout = dropout;
    return own;
  };
  const SequenceModelOptions options{
      .source_words = words,
      .target_words = target_words,
      .encoder_layers = encoder_layers,
      .decoder_layers = decoder_layers,
      .stack = {.width = width,
                .heads = heads,
                .hidden = hidden,
                .dropout = config.number("dropout", 0.1),
                .activation = activation(config, "activation_function", "gelu"),
                .self_heads = weights_dropped,
                .memory_heads = weights_dropped},
      .shared = shared,
      .scale = config.flag("scale_embedding", false) ? std::sqrt(static_cast<double>(width)) : 1,
      .tied = true,
      .projection_bias = file.has("final_logits_bias")};
  return file.load<SequenceModel>(options, renames(shared));
}

}  // namespace heed::pretrained
