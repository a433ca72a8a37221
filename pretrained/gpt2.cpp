#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "families.h"

namespace heed::pretrained {

std::unique_ptr<DecoderOnly> load_gpt2(FamilyFile& file) {
  const FamilyConfig& config = file.config;
  config.want("scale_attn_weights", true);
  config.want("add_cross_attention", false);
  file.strip("transformer.");
  const Index width = config.size("n_embd"), heads = config.size("n_head"),
              layers = config.size("n_layer"), hidden = config.size("n_inner", 4 * width),
              words = config.size("vocab_size"), context = config.size("n_positions");
  if (width % heads != 0) config.refuse("n_head", fmt::format("{} of width {}", heads, width));
  file.expect("wte.weight", {words, width});
  file.expect("wpe.weight", {context, width});
  for (Index i = 0; i < layers; ++i) {  // matrices are [in, out]
    file.expect(fmt::format("h.{}.attn.c_attn.weight", i), {width, 3 * width});
    file.expect(fmt::format("h.{}.mlp.c_fc.weight", i), {width, hidden});
  }
  DecoderOnlyOptions options{
      .vocabulary = words,
      .context = context,
      .layers = layers,
      .stack = {.width = width,
                .heads = heads,
                .hidden = hidden,
                .dropout = config.number("resid_pdrop", 0.1),
                .pre_norm = true,
                .activation = activation(config, "activation_function", "gelu_new"),
                .eps = config.number("layer_norm_epsilon", 1e-5)},
      .learned_positions = true,
      .tied = config.flag("tie_word_embeddings", true)};
  const double dropout = config.number("attn_pdrop", 0.1);
  const bool by_layer = config.flag("scale_attn_by_inverse_layer_idx", false);
  options.stack.self_heads = [=](attention::MultiHeadOptions own, Index layer) {
    own.dropout = dropout;
    const auto head_width = static_cast<double>(own.width / own.heads);
    if (by_layer) own.scale = 1 / (std::sqrt(head_width) * static_cast<double>(layer + 1));
    return own;
  };
  if (!options.tied) file.expect("lm_head.weight", {words, width});
  return file.load<DecoderOnly>(
      options, {{"wte.", "embedding."},
                {"wpe.", "positions."},
                {"h.*.ln_1.", "stack.layers.*.norm1."},
                {"h.*.attn.c_attn.", "stack.layers.*.self_attn.in_proj_", true},
                {"h.*.attn.c_proj.", "stack.layers.*.self_attn.out_proj.", true},
                {"h.*.attn.bias", ""},  // the causal mask, and what hidden scores are
                {"h.*.attn.masked_bias", ""},
                {"h.*.ln_2.", "stack.layers.*.norm2."},
                {"h.*.mlp.c_fc.", "stack.layers.*.linear1.", true},
                {"h.*.mlp.c_proj.", "stack.layers.*.linear2.", true},
                {"ln_f.", "stack.norm."},
                options.tied ? Rename{"lm_head.weight", ""} : Rename{"lm_head.", "head."}});
}

}  // namespace heed::pretrained
