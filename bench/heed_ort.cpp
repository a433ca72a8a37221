// Our side of the rows ort_encoder and ort_decode: writes the graph for the other side, then runs
// the module as it is; and of decode_bf16, which is ort_decode with its weights in bf16. A step of
// either is kContext tokens, each of which reads what the one before gave.

#include "../attention/mechanisms/transformer/transformer_encoder.h"
#include "../attention/scaled_dot_product.h"
#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/parallel.h"
#include "../nn/bf16.h"
#include "../onnx/export.h"
#include "filled.h"
#include "ort.h"
#include "protocol.h"
#include "transformer.h"

namespace {

using namespace heed;
using attention::TransformerEncoder;

std::string file_of(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--file") return argv[i + 1];
  }
  return "";
}

int run_encoder(const bench::Options& options, const std::string& file) {
  using namespace bench::encoder;
  TransformerEncoder encoder(kLayers,
                             {.width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  bench::fill_weights(encoder, weights());
  const Tensor x = bench::numbers({kBatch, kSteps, kWidth}, fill_input);
  encoder.eval();
  if (!file.empty()) {
    onnx::write(file, encoder, {{"x", narrow(narrow(x, 0, 0, 2), 1, 0, 5), {"batch", "length"}}});
  }
  const NoGrad scope;
  return bench::serve(options, [&] { return mean(square(encoder(x).output)).item(); });
}

bench::Weights decoder_weights() {
  bench::Weights out;
  for (std::int64_t i = 0; i < bench::ort::kLayers; ++i) {
    bench::transformer::add_encoder_layer(out, "layers." + std::to_string(i), bench::ort::kWidth,
                                          bench::ort::kInner);
  }
  return out;
}

// One token by plain operators: x [B, 1, E], then keys and values so far [B, H, T, D] of each
// layer; gives what TransformerEncoder::step() does, and these with the token's own behind.
std::vector<Tensor> step(const TransformerEncoder& decoder, const std::vector<Tensor>& given) {
  const Index heads = bench::ort::kHeads, width = bench::ort::kWidth;
  Tensor x = given[0];
  std::vector<Tensor> out = {x};
  std::size_t next = 1;
  for (const auto& layer : decoder.layers) {
    const auto names = layer.self_attn.named_parameters();
    const auto parameter = [&](const std::string& wanted) {
      for (const auto& [name, tensor] : names) {
        if (name == wanted) return tensor;
      }
      return Tensor();
    };
    const Tensor all = linear(x, parameter("in_proj_weight"), parameter("in_proj_bias"));
    const auto of_heads = [&](Index part) {  // [B, H, 1, D]
      const Tensor own = narrow(all, -1, part * width, width);
      return transpose(reshape(own, {x.size(0), 1, heads, width / heads}), 1, 2);
    };
    const Tensor keys = concat({given[next++], of_heads(1)}, 2);
    const Tensor values = concat({given[next++], of_heads(2)}, 2);
    out.push_back(keys);
    out.push_back(values);
    const Tensor seen = attention::attend(of_heads(0), keys, values).context;
    const Tensor joined = reshape(transpose(seen, 1, 2), x.shape());
    x = layer.norm1(x + linear(joined, parameter("out_proj.weight"), parameter("out_proj.bias")));
    x = layer.norm2(x + (*layer.linear2)(relu((*layer.linear1)(x))));
  }
  out[0] = x;
  return out;
}

int run_decode(const bench::Options& options, const std::string& file) {
  using namespace bench::ort;
  TransformerEncoder decoder(kLayers,
                             {.width = kWidth, .heads = kHeads, .hidden = kInner, .dropout = 0});
  bench::fill_weights(decoder, decoder_weights());
  decoder.eval();
  if (options.row == "decode_bf16") nn::to_bf16(decoder);
  const Tensor first =
      bench::numbers({1, 1, kWidth}, [](float* to) { bench::fill(to, kWidth, 1001, 1.0f); });
  if (!file.empty()) {
    std::vector<onnx::Input> inputs = {{"x", randn({1, 1, kWidth}), {}}};
    onnx::ExportOptions names{.outputs = {"y"}};
    for (Index i = 0; i < kLayers; ++i) {
      for (const std::string part : {"keys", "values"}) {
        const std::string name = part + std::to_string(i);
        inputs.push_back({name, randn({1, kHeads, 3, kWidth / kHeads}), {"", "", "past"}});
        names.outputs.push_back(name + "_after");
      }
    }
    onnx::write(
        file, decoder, inputs, [&](const auto& given) { return step(decoder, given); }, names);
  }
  const NoGrad scope;
  return bench::serve(options, [&] {
    TransformerEncoder::State state;
    Tensor x = first;
    for (std::int64_t t = 0; t < kContext; ++t) x = decoder.step(x, state).output;
    return mean(square(x)).item();
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  set_num_threads(options.threads);
  const std::string file = file_of(argc, argv);
  return options.row == "ort_encoder" ? run_encoder(options, file) : run_decode(options, file);
}
