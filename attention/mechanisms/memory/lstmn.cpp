#include "lstmn.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/factories.h"
#include "../../../autograd/ops/attention/attention.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "LSTMN";

LSTMNOptions checked(LSTMNOptions o) {
  if (o.input <= 0 || o.hidden <= 0 || o.layers <= 0 || o.attention < 0) {
    throw ValueError(
        fmt::format("{}: input {}, hidden {} and layers {} must be positive, attention {} not "
                    "negative",
                    kName, o.input, o.hidden, o.layers, o.attention));
  }
  if (o.span == 0 || o.span < -1) {
    throw ValueError(fmt::format("{}: a span of {} steps; -1 is no bound", kName, o.span));
  }
  if (!(o.recency >= 0) || std::isinf(o.recency)) {
    throw ValueError(fmt::format("{}: a recency of {}", kName, o.recency));
  }
  if (o.attention == 0) o.attention = o.hidden;
  return o;
}

}  // namespace

void LSTMNState::reorder(const Tensor& rows) {
  keys.reorder(rows);
  values.reorder(rows);
  if (summary.defined()) summary = index_select(summary, 0, rows);
}

LSTMNCell::LSTMNCell(const LSTMNOptions& options)
    : options_(checked(options)),
      gates(child<nn::LSTMCell>("gates", options.input, options.hidden, true, options.dtype)),
      hidden_attention(child<nn::Linear>("hidden_attention", options.hidden, options_.attention,
                                         false, options.dtype)),
      input_attention(child<nn::Linear>("input_attention", options.input, options_.attention, false,
                                        options.dtype)),
      summary_attention(child<nn::Linear>("summary_attention", options.hidden, options_.attention,
                                          false, options.dtype)),
      score_vector(parameter("score_vector", zeros({options_.attention}, options.dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(options_.attention));
  nn::uniform_(score_vector, -bound, bound);
}

LstmState LSTMNCell::summarise(const Tensor& x, const Tensor& projected, LSTMNState& state,
                               Tensor* weights) const {
  if (weights != nullptr) *weights = Tensor();
  const Tensor keys = state.keys.rows(options_.span);
  if (!keys.defined()) {
    state.summary = zeros({x.size(0), options_.hidden}, x.dtype());
    return {state.summary, state.summary};
  }
  const Tensor values = state.values.rows(options_.span);
  const Tensor query = unsqueeze(projected + summary_attention(state.summary), 1);  // [B, 1, A]
  Tensor bias;                                                                      // [t]
  if (options_.recency > 0) {
    bias = arange(1 - keys.size(1), 1, 1, x.dtype()) * options_.recency;
  }
  Tensor sum;  // [B, 1, 2 H]
  if (weights == nullptr) {
    sum = additive_attention(query, keys, score_vector, values, {.bias = bias});
  } else {
    Tensor scores = matmul(tanh(query + keys), score_vector);  // [B, t]
    if (bias.defined()) scores = scores + bias;
    *weights = softmax(scores, -1);
    sum = matmul(unsqueeze(*weights, 1), values);
  }
  const auto parts = split(squeeze(sum, 1), options_.hidden, 1);
  state.summary = parts[0];
  return {parts[0], parts[1]};
}

void LSTMNCell::remember(const LstmState& after, LSTMNState& state) const {
  state.keys.append(hidden_attention(after.h));
  state.values.append(concat({after.h, after.c}, 1));
}

LstmState LSTMNCell::operator()(const Tensor& x, LSTMNState& state, Tensor* weights) const {
  const Scope scope(*this);
  check_defined(kName, x, "x");
  return named(kName, [&] {
    LstmState after = gates(x, summarise(x, input_attention(x), state, weights));
    remember(after, state);
    after.h = forwarded(after.h);
    return after;
  });
}

LSTMN::LSTMN(const LSTMNOptions& options)
    : options_(checked(options)), layers(child<nn::ModuleListOf<LSTMNCell>>("layers")) {
  LSTMNOptions layer = options_;
  for (Index l = 0; l < options.layers; ++l) {
    layers.add(layer);
    layer.input = layer.hidden;
  }
}

void LSTMN::check_input(const Tensor& x) const {
  check_defined(kName, x, "x");
  if (x.rank() != 3 || x.size(2) != options_.input) {
    throw ShapeError(
        fmt::format("{}: x must be [B, T, {}], not {}", kName, options_.input, describe(x)));
  }
  const DType dtype = layers[0].score_vector.dtype();
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: x must be {}, not {}", kName, name(dtype), describe(x)));
  }
}

LSTMNOutput LSTMN::run(const Tensor& x, std::vector<LSTMNState>& states, bool need_weights) const {
  const Index B = x.size(0), T = x.size(1);
  LSTMNOutput out{x, {}};
  if (T == 0) out.output = out.memory = zeros({B, 0, options_.hidden}, x.dtype());
  for (std::size_t l = 0; l < states.size(); ++l) {
    const LSTMNCell& layer = layers[l];
    std::vector<Tensor> weights;
    if (T > 0) {
      // What x says to gates and scores, of all steps at once.
      const nn::LSTMCell& gates = layer.gates;
      const RnnWeights own{Tensor(), gates.weight_hh, Tensor(), gates.bias_hh};
      const auto shares = split(heed::linear(out.output, gates.weight_ih, gates.bias_ih), 1, 1);
      const auto projected = split(layer.input_attention(out.output), 1, 1);
      for (std::size_t t = 0; t < shares.size(); ++t) {
        const Tensor share = squeeze(shares[t], 1);
        Tensor seen;
        const LstmState summary = layer.summarise(share, squeeze(projected[t], 1), states[l],
                                                  need_weights ? &seen : nullptr);
        layer.remember(lstm_cell_from(share, summary, own), states[l]);
        if (need_weights) weights.push_back(seen);
      }
      const auto tapes = split(states[l].values.rows(T), options_.hidden, 2);
      out.output = tapes[0];
      out.memory = tapes[1];
    }
    if (need_weights) out.weights.push_back(past_weights(weights, B, x.dtype()));
  }
  return out;
}

LSTMNOutput LSTMN::operator()(const Tensor& x, const std::vector<Index>& lengths,
                              bool need_weights) const {
  const Scope scope(*this);
  check_input(x);
  const MaskedSequence read = masked_sequence(kName, "x", x, lengths);
  std::vector<LSTMNState> states(layers.size());
  LSTMNOutput out = run(read.x, states, need_weights);
  for (Tensor& weights : out.weights) weights = zero_elsewhere(weights, read.real);
  out.output = forwarded(zero_elsewhere(out.output, read.real));
  out.memory = zero_elsewhere(out.memory, read.real);
  return out;
}

LSTMNOutput LSTMN::operator()(const Tensor& x, std::vector<LSTMNState>& states) const {
  const Scope scope(*this);
  check_input(x);
  if (states.empty()) states.resize(layers.size());
  if (states.size() != layers.size()) {
    throw ValueError(
        fmt::format("{}: {} states of {} layers", kName, states.size(), layers.size()));
  }
  LSTMNOutput out = run(x, states, false);
  out.output = forwarded(out.output);
  return out;
}

Tensor past_weights(const std::vector<Tensor>& steps, Index batch, DType dtype) {
  const auto T = static_cast<Index>(steps.size());
  if (T == 0) return zeros({batch, 0, 0}, dtype);
  std::vector<Tensor> rows;
  for (Index t = 0; t < T; ++t) {
    const Tensor& own = steps[static_cast<std::size_t>(t)];
    if (!own.defined()) {
      rows.push_back(zeros({batch, T}, dtype));
    } else {
      rows.push_back(pad(own, {t - own.size(1), T - t}));
    }
  }
  return stack(rows, 1);
}

}  // namespace heed::attention
