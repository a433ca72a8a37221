#include "transformer_xl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../../nn/positional_encoding.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "../../detail/summed_score.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "transformer_xl";

const TransformerXLOptions& checked(const TransformerXLOptions& o) {
  if (o.width <= 0 || o.heads <= 0 || o.layers <= 0 || o.hidden < 0 || o.memory < 0) {
    throw ValueError(
        fmt::format("{}: layers {}, width {} and heads {} must be positive, hidden {} "
                    "and memory {} not negative",
                    kOp, o.layers, o.width, o.heads, o.hidden, o.memory));
  }
  if (o.width % o.heads != 0) {
    throw ValueError(fmt::format("{}: heads {} do not divide width {}", kOp, o.heads, o.width));
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", kOp, o.dropout));
  }
  return o;
}

TransformerOptions parts(const TransformerXLOptions& o) {
  return {.width = o.width, .heads = o.heads, .dtype = o.dtype};
}

Tensor begin(const TransformerXLOptions& o) {
  Tensor out = zeros({o.heads, o.width / o.heads}, o.dtype);
  nn::normal_(out, 0, 0.02);
  return out;
}

// i64 [T, K]: how far key j lies behind query i; 0 for those that come after it.
Tensor distances(Index T, Index K) {
  Array out = Array::empty({T, K}, DType::i64);
  for (Index i = 0; i < T; ++i) {
    for (Index j = 0; j < K; ++j) {
      out.mutable_data<Index>()[i * K + j] = std::max<Index>(0, i + K - T - j);
    }
  }
  return Tensor(out);
}

}  // namespace

TransformerXLHeads::TransformerXLHeads(const TransformerXLOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, o.width, false, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, o.width, false, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, false, o.dtype)),
      r_proj(child<nn::Linear>("r_proj", o.width, o.width, false, o.dtype)),
      content_bias(parameter("content_bias", begin(o))),
      position_bias(parameter("position_bias", begin(o))),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, false, o.dtype)) {}

// A token that is not finite meets no weight: what is made of it is NaN all the same.
Tensor TransformerXLHeads::heads(const nn::Linear& project, const Tensor& x) const {
  const Index H = options_.heads, D = options_.width / H;
  return transpose(reshape(guarded(x, true, project), {x.size(0), x.size(1), H, D}), 1, 2);
}

Attended TransformerXLHeads::operator()(const Tensor& x, const Tensor& memory,
                                        const Terms& terms) const {
  const Scope scope(*this);
  const DType dtype = content_bias.dtype();
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, dtype);
  if (memory.defined()) {
    check_batch(kOp, "memory", memory);
    check_rows(kOp, "memory", memory, options_.width, dtype);
    check_rows_of_batch(kOp, "memory", memory, x.size(0));
  }
  const Tensor all = memory.defined() ? concat({memory.detach(), x}, 1) : x;
  return look(x, heads(k_proj, all), heads(v_proj, all), terms);
}

Attended TransformerXLHeads::operator()(const Tensor& x, const Terms& terms,
                                        KeyValueCache* given) const {
  if (given == nullptr) return (*this)(x, Tensor(), terms);
  const Scope scope(*this);
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, content_bias.dtype());
  CacheOfCall cache(given);
  const Index T = x.size(1);
  if (cache.rolls()) {
    check_terms(kOp, {x.size(0), options_.heads, T, cache->length_after(T)}, x.dtype(), terms);
  }
  cache->append(heads(k_proj, x), heads(v_proj, x));
  Attended out = look(x, cache->keys(), cache->values(), terms);
  cache.keep();
  return out;
}

Attended TransformerXLHeads::look(const Tensor& x, const Tensor& keys, const Tensor& values,
                                  const Terms& terms) const {
  const DType dtype = content_bias.dtype();
  const Index B = x.size(0), T = x.size(1), K = keys.size(2);
  const Index H = options_.heads, D = options_.width / H;
  const auto with = [&](const Tensor& q, const Tensor& bias) {
    return guarded(q, true, [&](const Tensor& finite) { return finite + unsqueeze(bias, 1); });
  };
  const Tensor q = heads(q_proj, x);
  const double scale = 1 / std::sqrt(static_cast<double>(D));
  const Tensor r = r_proj(nn::sinusoidal_positions(K, options_.width, 0, dtype));
  const Tensor by_distance = permute(reshape(r, {K, H, D}), {1, 2, 0});  // [H, D, K]
  // [B, H, T, K], a column a distance. A bias is to be finite: what is not is in the query itself.
  const Tensor met = matmul(finite_part(with(q, position_bias)).x, by_distance) * scale;
  Terms own = terms;
  own.mask = Mask::causal() & terms.mask;
  const Tensor bias = take_along(met, reshape(distances(T, K), {1, 1, T, K}), -1);
  // A map is of the whole score, before biases.
  const SummedScore whole(bias);
  static const ScaledDot content;
  const Score& score = terms.map.defined() ? static_cast<const Score&>(whole) : content;
  if (!terms.map.defined()) own.bias = terms.bias.defined() ? terms.bias + bias : bias;
  if (own.dropout == 0 && training()) own.dropout = options_.dropout;
  Attended out =
      named(kOp, [&] { return attend(score, with(q, content_bias), keys, values, own); });
  const Tensor joined = reshape(transpose(out.context, 1, 2), {B, T, options_.width});
  out.context = forwarded(guarded(joined, true, out_proj));
  return out;
}

TransformerXLLayer::TransformerXLLayer(const TransformerXLOptions& o)
    : attend(child<TransformerXLHeads>("attend", o)),
      norm1(child<TransformerNorm>("norm1", parts(o))),
      norm2(child<TransformerNorm>("norm2", parts(o))),
      linear1(child<nn::Linear>(
          "linear1", o.width, o.hidden == 0 ? 4 * Checked(kOp, o.width) : o.hidden, true, o.dtype)),
      linear2(child<nn::Linear>("linear2", o.hidden == 0 ? 4 * Checked(kOp, o.width) : o.hidden,
                                o.width, true, o.dtype)),
      dropout(child<nn::Dropout>("dropout", o.dropout)) {}

Attended TransformerXLLayer::operator()(const Tensor& x, const Tensor& memory,
                                        const Terms& terms) const {
  const Scope scope(*this);
  Attended out = attend(x, memory, terms);
  out.context = forwarded(guarded(x + dropout(out.context), true, [&](const Tensor& sum) {
    const Tensor h = norm1(sum);
    return norm2(h + dropout(linear2(dropout(relu(linear1(h))))));
  }));
  return out;
}

TransformerXL::TransformerXL(const TransformerXLOptions& o)
    : options_(checked(o)), layers(child<nn::ModuleListOf<TransformerXLLayer>>("layers")) {
  for (Index i = 0; i < o.layers; ++i) layers.add(o);
}

void TransformerXL::State::reorder(const Tensor& rows) {
  for (Tensor& each : memory) {
    if (each.defined()) each = index_select(each, 0, rows);
  }
}

StackOutput TransformerXL::operator()(const Tensor& x, State& state, const Terms& terms) const {
  const Scope scope(*this);
  if (!state.memory.empty() && state.memory.size() != layers.size()) {
    throw ValueError(
        fmt::format("{}: a state of {} layers for {}", kOp, state.memory.size(), layers.size()));
  }
  std::vector<Tensor> next(layers.size());
  StackOutput out{x};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Tensor past = state.memory.empty() ? Tensor() : state.memory[i];
    const Tensor read = out.output;
    const Attended seen = named(kOp, [&] { return layers[i](read, past, terms); });
    if (options_.memory > 0) {
      const Tensor all = past.defined() ? concat({past, read.detach()}, 1) : read.detach();
      const Index kept = std::min(options_.memory, all.size(1));
      next[i] = clone(narrow(all, 1, all.size(1) - kept, kept));
    }
    out.output = seen.context;
    if (terms.need_weights) out.weights.push_back(seen.weights);
  }
  state.memory = std::move(next);
  out.output = forwarded(out.output);
  return out;
}

}  // namespace heed::attention
