#include "llama2c.h"

#include <fmt/format.h>

#include <map>

#include "../autograd/grad_mode.h"
#include "../autograd/methods.h"
#include "../autograd/ops/shape/join.h"
#include "../autograd/ops/shape/slicing.h"
#include "../core/error.h"
#include "../nn/lora.h"
#include "llama2c_file.h"
#include "renamed.h"

namespace heed::pretrained {

std::unique_ptr<DecoderOnly> read_llama2c(const std::string& path) {
  const Llama2cFile file = read_llama2c_file(path);
  nn::NamedTensors state{{"embedding.weight", file.embedding}, {"stack.norm.weight", file.norm}};
  if (file.head.defined()) state.emplace_back("head.weight", file.head);
  for (Index i = 0; i < file.layers; ++i) {
    const auto of = [i](const Array& all) { return Tensor(all)[i]; };
    const auto put = [&](const char* name, const Tensor& value) {
      state.emplace_back(fmt::format("stack.layers.{}.{}", i, name), value);
    };
    put("self_attn.in_proj_weight", cat({of(file.wq), of(file.wk), of(file.wv)}, 0));
    put("self_attn.out_proj.weight", of(file.wo));
    put("linear1.weight", of(file.w1));
    put("linear_gate.weight", of(file.w3));
    put("linear2.weight", of(file.w2));
    put("norm1.weight", of(file.norm1));
    put("norm2.weight", of(file.norm2));
  }
  auto out = std::make_unique<DecoderOnly>(
      DecoderOnlyOptions{.vocabulary = file.vocabulary,
                         .context = file.context,
                         .layers = file.layers,
                         .stack = {.width = file.width,
                                   .heads = file.heads,
                                   .kv_heads = file.kv_heads,
                                   .hidden = file.hidden,
                                   .dropout = 0,
                                   .pre_norm = true,
                                   .norm = attention::Norm::rms,
                                   .activation = attention::Activation::swiglu,
                                   .bias = false,
                                   .rotary = true},
                         .tied = !file.head.defined()});
  load_strictly(*out, state, path);
  out->eval();
  return out;
}

void write_llama2c(const std::string& path, const DecoderOnly& model) {
  const DecoderOnlyOptions& options = model.options();
  const attention::TransformerOptions& stack = options.stack;
  // The format has no place for anything else.
  const attention::RotaryOptions& turns = stack.rotary_options;
  const bool as_written = stack.rotary && turns.base == 10000 && turns.width == 0 &&
                          turns.layout == attention::RotaryLayout::pairs &&
                          turns.scaling.kind == attention::RotaryScalingKind::none &&
                          attention::rotary_attention_factor(turns.scaling) == 1 &&
                          stack.norm == attention::Norm::rms && stack.eps == 1e-5 &&
                          stack.pre_norm && !stack.both_norms && !stack.parallel && !stack.bias &&
                          stack.activation == attention::Activation::swiglu &&
                          stack.dtype == DType::f32 && !stack.self_heads && !stack.self_attention &&
                          !stack.experts;
  if (options.learned_positions || options.window > 0 || !as_written) {
    throw ValueError("write_llama2c: the model is not of LLaMA's kind");
  }
  if (nn::has_unmerged_lora(model)) {
    throw ValueError("write_llama2c: merge the model's adapters first");
  }
  const Index kv_heads = stack.kv_heads > 0 ? stack.kv_heads : stack.heads;
  const Index width = stack.width, keys = width / stack.heads * kv_heads;
  const NoGrad scope;
  std::map<std::string, Tensor> state;
  for (const auto& [name, tensor] : nn::state_without_lora(model)) state.emplace(name, tensor);
  const auto all = [&](const char* name, Index first = 0, Index count = -1) {
    std::vector<Tensor> layers;
    for (Index i = 0; i < options.layers; ++i) {
      const Tensor& own = state.at(fmt::format("stack.layers.{}.{}", i, name));
      layers.push_back(count < 0 ? own : narrow(own, 0, first, count));
    }
    return heed::stack(layers, 0).array();
  };
  const char* const in = "self_attn.in_proj_weight";
  write_llama2c_file(path, {.width = width,
                            .hidden = stack.hidden,
                            .layers = options.layers,
                            .heads = stack.heads,
                            .kv_heads = kv_heads,
                            .vocabulary = options.vocabulary,
                            .context = options.context,
                            .embedding = state.at("embedding.weight").array(),
                            .norm1 = all("norm1.weight"),
                            .wq = all(in, 0, width),
                            .wk = all(in, width, keys),
                            .wv = all(in, width + keys, keys),
                            .wo = all("self_attn.out_proj.weight"),
                            .norm2 = all("norm2.weight"),
                            .w1 = all("linear1.weight"),
                            .w2 = all("linear2.weight"),
                            .w3 = all("linear_gate.weight"),
                            .norm = state.at("stack.norm.weight").array(),
                            .head = model.head != nullptr ? model.head->weight.array() : Array()});
}

}  // namespace heed::pretrained
