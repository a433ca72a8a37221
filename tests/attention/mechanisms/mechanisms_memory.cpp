// Mechanisms that attend to what they keep, behind the face.
#include <algorithm>

#include "../../../attention/mechanisms/decoders/lstmn_decoder.h"
#include "../../../attention/mechanisms/memory/key_value_memory.h"
#include "../../../attention/mechanisms/memory/lstmn.h"
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
  std::vector<Index> places;
  std::vector<double> real;
  const Index T = x.size(1);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    places.push_back(static_cast<Index>(b) * T + std::max<Index>(lengths[b] - 1, 0));
    real.push_back(lengths[b] > 0 ? 1 : 0);
  }
  const Index B = x.size(0), width = x.size(2);
  if (T == 0 || B == 0) return zeros({B, width}, x.dtype());
  const Tensor rows = index_select(reshape(x, {B * T, width}), 0, Tensor(Array::from(places)));
  return where(tensor(real, {B, 1}, x.dtype()) > 0, rows, 0);
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
