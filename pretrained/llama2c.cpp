#include "llama2c.h"

#include <fmt/format.h>

#include "../autograd/methods.h"
#include "../autograd/ops/shape/join.h"
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

}  // namespace heed::pretrained
