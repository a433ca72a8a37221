#include "mingpt.h"

#include <fmt/format.h>

#include <algorithm>

#include "../core/error.h"
#include "renamed.h"
#include "tensor_json.h"

namespace heed::pretrained {

std::unique_ptr<DecoderOnly> read_mingpt(const std::string& path) {
  const TensorFile file = read_tensor_json(path);
  const auto size = [&](const char* name) {
    const auto found = file.sizes.find(name);
    constexpr Index kMost = 1 << 20;
    if (found == file.sizes.end() || found->second < 1 || found->second > kMost) {
      throw FormatError(path, 0, fmt::format("config: {} must be there, 1 to {}", name, kMost));
    }
    return found->second;
  };
  const Index width = size("n_embd"), heads = size("n_head"), layers = size("n_layer");
  if (width % heads != 0) {
    throw FormatError(path, 0, fmt::format("config: {} heads of width {}", heads, width));
  }
  // Sizes are believed once the file has tensors of them.
  const auto expect = [&](const std::string& name, const Shape& shape) {
    const auto found = std::find_if(file.tensors.begin(), file.tensors.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found == file.tensors.end() || found->second.shape() != shape) {
      throw FormatError(path, 0, fmt::format("{} must be there, {}", name, to_string(shape)));
    }
  };
  expect("transformer.wte.weight", {size("vocab_size"), width});
  expect("transformer.wpe.weight", {size("block_size"), width});
  for (Index i = 0; i < layers; ++i) {
    expect(fmt::format("transformer.h.{}.mlp.c_fc.weight", i), {4 * width, width});
  }
  const DecoderOnlyOptions options{.vocabulary = size("vocab_size"),
                                   .context = size("block_size"),
                                   .layers = layers,
                                   .stack = {.width = width,
                                             .heads = heads,
                                             .hidden = 4 * width,
                                             .dropout = 0,
                                             .pre_norm = true,
                                             .activation = attention::Activation::gelu_tanh},
                                   .learned_positions = true};
  return load_renamed<DecoderOnly>(
      options, file.tensors, path,
      {{"transformer.wte.", "embedding."},
       {"transformer.wpe.", "positions."},
       {"transformer.h.*.ln_1.", "stack.layers.*.norm1."},
       {"transformer.h.*.attn.c_attn.", "stack.layers.*.self_attn.in_proj_"},
       {"transformer.h.*.attn.c_proj.", "stack.layers.*.self_attn.out_proj."},
       {"transformer.h.*.attn.bias", ""},  // the causal mask
       {"transformer.h.*.ln_2.", "stack.layers.*.norm2."},
       {"transformer.h.*.mlp.c_fc.", "stack.layers.*.linear1."},
       {"transformer.h.*.mlp.c_proj.", "stack.layers.*.linear2."},
       {"transformer.ln_f.", "stack.norm."},
       {"lm_head.", "head."}});
}

}  // namespace heed::pretrained
