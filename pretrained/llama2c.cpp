#include "llama2c.h"

#include <fmt/format.h>

#include <cstdlib>

#include "../autograd/methods.h"
#include "../autograd/ops/shape/join.h"
#include "../io/file.h"
#include "byte_cursor.h"

namespace heed::pretrained {
namespace {

struct Header {
  Index width, hidden, layers, heads, kv_heads, vocabulary, context;
  bool tied;
};

Header read_header(ByteCursor& file) {
  Header out{};
  const auto size = [&](const char* name, Index most) {
    const Index read = file.number<std::int32_t>("its sizes");
    if (read < 1 || read > most) {
      file.fail(fmt::format("llama2.c: {} {}, not 1 to {}", name, read, most));
    }
    return read;
  };
  constexpr Index kMost = 1 << 20;
  out.width = size("width", kMost);
  out.hidden = size("hidden width", kMost);
  out.layers = size("layers", 1 << 12);
  out.heads = size("heads", out.width);
  out.kv_heads = size("heads of keys and values", out.heads);
  const Index vocabulary = file.number<std::int32_t>("its sizes");
  if (vocabulary == 0 || std::abs(vocabulary) > kMost) {
    file.fail(fmt::format("llama2.c: a vocabulary of {}", vocabulary));
  }
  out.vocabulary = std::abs(vocabulary);
  out.tied = vocabulary > 0;
  out.context = size("context", kMost);
  if (out.width % out.heads != 0 || out.width / out.heads % 2 != 0 ||
      out.heads % out.kv_heads != 0) {
    file.fail(
        fmt::format("llama2.c: {} and {} heads of width {}", out.heads, out.kv_heads, out.width));
  }
  return out;
}

DecoderOnlyOptions options_of(const Header& header) {
  return {.vocabulary = header.vocabulary,
          .context = header.context,
          .layers = header.layers,
          .stack = {.width = header.width,
                    .heads = header.heads,
                    .kv_heads = header.kv_heads,
                    .hidden = header.hidden,
                    .dropout = 0,
                    .pre_norm = true,
                    .norm = attention::Norm::rms,
                    .activation = attention::Activation::swiglu,
                    .bias = false,
                    .rotary = true},
          .tied = header.tied};
}

}  // namespace

std::unique_ptr<DecoderOnly> read_llama2c(const std::string& path) {
  const std::string content = io::read_file(path);
  ByteCursor file(content, path);
  const Header h = read_header(file);
  const Index head = h.width / h.heads, keys = head * h.kv_heads;
  const auto block = [&](const char* what, Shape shape) {
    return Tensor(file.floats(shape, what));
  };
  nn::NamedTensors state{{"embedding.weight", block("the embedding", {h.vocabulary, h.width})}};
  const Tensor norm1 = block("attention's norms", {h.layers, h.width});
  const Tensor wq = block("wq", {h.layers, h.width, h.width});
  const Tensor wk = block("wk", {h.layers, keys, h.width});
  const Tensor wv = block("wv", {h.layers, keys, h.width});
  const Tensor wo = block("wo", {h.layers, h.width, h.width});
  const Tensor norm2 = block("the norms of the feed-forward parts", {h.layers, h.width});
  const Tensor w1 = block("w1", {h.layers, h.hidden, h.width});
  const Tensor w2 = block("w2", {h.layers, h.width, h.hidden});
  const Tensor w3 = block("w3", {h.layers, h.hidden, h.width});
  for (Index i = 0; i < h.layers; ++i) {
    const auto put = [&](const char* name, const Tensor& value) {
      state.emplace_back(fmt::format("stack.layers.{}.{}", i, name), value);
    };
    put("self_attn.in_proj_weight", cat({wq[i], wk[i], wv[i]}, 0));
    put("self_attn.out_proj.weight", wo[i]);
    put("linear1.weight", w1[i]);
    put("linear_gate.weight", w3[i]);
    put("linear2.weight", w2[i]);
    put("norm1.weight", norm1[i]);
    put("norm2.weight", norm2[i]);
  }
  state.emplace_back("stack.norm.weight", block("the last norm", {h.width}));
  block("its table of cosines", {h.context, head / 2});
  block("its table of sines", {h.context, head / 2});
  if (!h.tied) state.emplace_back("head.weight", block("the head", {h.vocabulary, h.width}));
  if (file.left() != 0) file.fail(fmt::format("llama2.c: {} bytes too many", file.left()));
  auto out = std::make_unique<DecoderOnly>(options_of(h));
  out->load_state_dict(state);
  out->eval();
  return out;
}

}  // namespace heed::pretrained
