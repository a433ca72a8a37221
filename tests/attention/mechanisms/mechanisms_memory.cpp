// Mechanisms that attend to what they keep, behind the face.
#include "../../../attention/mechanisms/decoders/lstmn_decoder.h"
#include "../../../attention/mechanisms/memory/key_value_memory.h"
#include "../../../attention/mechanisms/memory/lstmn.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/shape.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
const DType& kDType = mechanism_dtype();

Mechanism key_value_memory() {
  auto made = std::make_shared<KeyValueMemory>(
      KeyValueMemoryOptions{.features = kE, .width = 4, .hops = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .residual = true, .name = "KeyValueMemory"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const KeyValueMemoryOutput read = (*made)(query, keys, keys, padding(lengths, keys), weights);
    return Attended{read.query, weights ? read.weights.back() : Tensor()};
  };
  return out;
}

// Of [B, T, ..], each row's last real step; zeros where it has none.
Tensor last_step(const Tensor& x, const Lengths& lengths) {
  const Index B = x.size(0), width = x.size(2);
  if (x.size(1) == 0 || B == 0) return zeros({B, width}, x.dtype());
  const Tensor counts = reshape(tensor(lengths), {B, 1, 1});
  const Tensor places = expand(maximum(counts - 1, 0), {B, 1, width});
  return where(squeeze(counts, 2) > 0, squeeze(gather(x, 1, places), 1), 0);
}

// Its last state, and what the last step looked at.
Mechanism lstmn(Index span) {
  auto made = std::make_shared<LSTMN>(
      LSTMNOptions{.input = kE, .hidden = 4, .layers = 2, .span = span, .dtype = kDType});
  Mechanism out{.modules = {made}, .pools = true, .by_place = true, .sums_to_one = false};
  out.name = "LSTMN";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const LSTMNOutput read = (*made)(keys, lengths, weights);
    return Attended{last_step(read.output, lengths),
                    weights ? last_step(read.weights.back(), lengths) : Tensor()};
  };
  return out;
}

Mechanism lstmn_decoder(Fusion fusion) {
  auto made = std::make_shared<LSTMNDecoder>(LSTMNDecoderOptions{
      .input = kE, .hidden = kE, .source = kE, .fusion = fusion, .attention = 3, .dtype = kDType});
  Mechanism out{.modules = {made}, .residual = true, .name = "LSTMNDecoder"};
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    const StackOutput read =
        (*made)(query, keys, keys, padding(lengths, keys), {.need_weights = weights});
    return Attended{read.output, weights ? read.weights.front() : Tensor()};
  };
  return out;
}

}  // namespace

Registry<Mechanism> memory_mechanisms() {
  return {
      {"key_value_memory", key_value_memory},
      {"lstmn", [] { return lstmn(-1); }},
      {"lstmn_span", [] { return lstmn(2); }},
      {"lstmn_shallow", [] { return lstmn_decoder(Fusion::shallow); }},
      {"lstmn_deep", [] { return lstmn_decoder(Fusion::deep); }},
  };
}

}  // namespace heed::attention
