// RNN, GRU and LSTM over sequences. ONNX has the gates in another order than PyTorch and heed (i o
// f c for i f g o, z r h for r z n), both biases in one row, time before batch, and a direction
// that reads backwards alone.
#include <fmt/format.h>

#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/compare.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/recurrent/gru.h"
#include "../../autograd/ops/recurrent/lstm.h"
#include "../../autograd/ops/recurrent/rnn.h"
#include "../../autograd/ops/shape/arrange.h"
#include "../../autograd/ops/shape/join.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../core/quoted.h"
#include "operators.h"

namespace heed::onnx {
namespace {

enum class Cell { rnn, gru, lstm };

struct Settings {
  Cell cell;
  Index hidden = 0;
  bool forward = true, backward = false;
  bool batch_first = false;
  bool relu = false;          // of an RNN
  bool reset_before = false;  // of a GRU: the gate r is put on h before its product
  std::size_t directions() const { return forward && backward ? 2 : 1; }
};

// The gates, where ours stand among theirs.
std::vector<Index> order_of(Cell cell) {
  if (cell == Cell::lstm) return {0, 2, 3, 1};
  return cell == Cell::gru ? std::vector<Index>{1, 0, 2} : std::vector<Index>{0};
}

Settings settings_of(NodeReader& node, Cell cell) {
  Settings out{.cell = cell};
  node.inputs(3, cell == Cell::lstm ? 8 : 6);
  node.outputs(cell == Cell::lstm ? 3 : 2);
  if (node.has_input(7)) node.fail("peepholes are not supported");
  out.hidden = node.integer("hidden_size");
  if (out.hidden < 1) node.fail("attribute hidden_size must be positive");
  const std::string direction = node.text("direction", "forward");
  if (direction != "reverse" && direction != "bidirectional") node.only("direction", "forward");
  out.forward = direction != "reverse";
  out.backward = direction != "forward";
  const std::int64_t layout = node.opset() >= 14 ? node.integer("layout", 0) : 0;
  if (layout != 1) node.only("layout", 0);
  out.batch_first = layout == 1;
  node.none("clip");
  if (cell == Cell::lstm) node.only("input_forget", 0);
  if (cell == Cell::gru) out.reset_before = !node.truth("linear_before_reset", false);
  std::vector<std::string> usual = {"Tanh"};
  if (cell == Cell::gru) usual = {"Sigmoid", "Tanh"};
  if (cell == Cell::lstm) usual = {"Sigmoid", "Tanh", "Tanh"};
  const std::vector<std::string> given = node.texts("activations");
  if (cell == Cell::rnn && !given.empty() && given[0] == "Relu") {
    out.relu = true;
    usual = {"Relu"};
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given.size() != usual.size() * out.directions() || given[i] != usual[i % usual.size()])
      node.fail(
          fmt::format("attribute activations: {} at {} is not supported", in_short(given[i]), i));
  }
  if (!node.numbers("activation_alpha").empty() || !node.numbers("activation_beta").empty())
    node.fail("attributes activation_alpha and activation_beta are not supported");
  return out;
}

// [G H, ..] with the gates in our order.
Tensor in_our_order(const Tensor& x, const Settings& settings) {
  const std::vector<Index> order = order_of(settings.cell);
  if (order.size() == 1) return x;
  std::vector<Tensor> gates;
  gates.reserve(order.size());
  for (const Index at : order) {
    gates.push_back(slice(x, 0, at * settings.hidden, (at + 1) * settings.hidden));
  }
  return concat(gates);
}

void check(const Tensor& x, const Shape& shape, const char* what) {
  if (x.shape() != shape) {
    throw ShapeError(
        fmt::format("{} must be {}, not {}", what, to_string(shape), describe(x.array())));
  }
}

void check_lengths(const std::vector<Index>& lengths, Index batch, Index steps) {
  if (static_cast<Index>(lengths.size()) != batch) {
    throw ShapeError(
        fmt::format("sequence_lens has {} lengths for {} rows", lengths.size(), batch));
  }
  for (const Index length : lengths) {
    if (length >= 0 && length <= steps) continue;
    throw ValueError(fmt::format("sequence_lens has {}, not in [0, {}]", length, steps));
  }
}

std::vector<RnnWeights> weights_of(const std::vector<Tensor>& in, const Settings& settings) {
  const auto directions = static_cast<Index>(settings.directions());
  const Index rows = static_cast<Index>(order_of(settings.cell).size()) * settings.hidden;
  if (in[0].rank() != 3) throw ShapeError("X must have three axes, not " + describe(in[0].array()));
  check(in[1], {directions, rows, in[0].size(2)}, "W");
  check(in[2], {directions, rows, settings.hidden}, "R");
  const Tensor& bias = input_or_none(in, 3);
  if (bias.defined()) check(bias, {directions, 2 * rows}, "B");
  std::vector<RnnWeights> out;
  for (Index d = 0; d < directions; ++d) {
    RnnWeights own;
    own.w_ih = in_our_order(select(in[1], 0, d), settings);
    own.w_hh = in_our_order(select(in[2], 0, d), settings);
    if (bias.defined()) {
      const Tensor both = select(bias, 0, d);
      own.b_ih = in_our_order(slice(both, 0, 0, rows), settings);
      own.b_hh = in_our_order(slice(both, 0, rows, 2 * rows), settings);
    }
    out.push_back(own);
  }
  return out;
}

// A GRU whose reset gate is put on h before its product: n = tanh(W x + b + R (r * h) + b').
// x [B, T, I], in one direction.
RnnResult gru_reset_before(const Tensor& x, const Tensor& start, const RnnWeights& w,
                           const std::vector<Index>& lengths, bool backward) {
  const Index batch = x.size(0), steps = x.size(1), hidden = w.w_hh.size(1);
  Tensor h = start.defined() ? start : zeros({batch, hidden}, x.dtype());
  const Tensor from_x = linear(x, w.w_ih, w.b_ih);
  const auto part = [&](const Tensor& of, Index i) {
    return slice(of, -1, i * hidden, (i + 1) * hidden);
  };
  const Tensor gates_w = slice(w.w_hh, 0, 0, 2 * hidden),
               new_w = slice(w.w_hh, 0, 2 * hidden, 3 * hidden);
  const Tensor gates_b = w.b_hh.defined() ? slice(w.b_hh, 0, 0, 2 * hidden) : Tensor();
  const Tensor new_b = w.b_hh.defined() ? slice(w.b_hh, 0, 2 * hidden, 3 * hidden) : Tensor();
  const Tensor ends =
      lengths.empty() ? Tensor() : reshape(Tensor(Array::from(lengths)), {batch, 1});
  std::vector<Tensor> out(static_cast<std::size_t>(steps));
  for (Index i = 0; i < steps; ++i) {
    const Index t = backward ? steps - 1 - i : i;
    const Tensor here = select(from_x, 1, t), from_h = linear(h, gates_w, gates_b);
    const Tensor r = sigmoid(part(here, 0) + part(from_h, 0)),
                 z = sigmoid(part(here, 1) + part(from_h, 1));
    const Tensor n = tanh(part(here, 2) + linear(r * h, new_w, new_b));
    const Tensor next = (1 - z) * n + z * h;
    const Tensor lives = ends.defined() ? ends > static_cast<double>(t) : Tensor();
    h = lives.defined() ? where(lives, next, h) : next;
    out[static_cast<std::size_t>(t)] = lives.defined() ? where(lives, next, 0.0) : next;
  }
  return {.output = steps > 0 ? stack(out, 1) : zeros({batch, 0, hidden}, x.dtype()),
          .h_n = unsqueeze(h, 0)};
}

struct Results {
  Tensor output, h, c;  // [B, T, D H], [D, B, H]
};

Results run_forward(const Settings& settings, const Tensor& x, const Tensor& h0, const Tensor& c0,
                    const std::vector<RnnWeights>& weights, const std::vector<Index>& lengths) {
  if (settings.cell == Cell::lstm) {
    const LstmResult out = lstm(x, {.h = h0, .c = c0}, weights, lengths);
    return {out.output, out.h_n, out.c_n};
  }
  const RnnResult out =
      settings.cell == Cell::gru
          ? gru(x, h0, weights, lengths)
          : rnn(x, h0, weights, lengths, settings.relu ? Nonlinearity::relu : Nonlinearity::tanh);
  return {out.output, out.h_n, {}};
}

Results results_of(const Settings& settings, const Tensor& x, const Tensor& h0, const Tensor& c0,
                   const std::vector<RnnWeights>& weights, const std::vector<Index>& lengths) {
  const Index hidden = settings.hidden;
  if (settings.reset_before) {
    Results out;
    std::vector<Tensor> outputs, states;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const RnnResult own =
          gru_reset_before(x, h0.defined() ? select(h0, 0, static_cast<Index>(d)) : Tensor(),
                           weights[d], lengths, settings.backward && (d == 1 || !settings.forward));
      outputs.push_back(own.output);
      states.push_back(own.h_n);
    }
    return {concat(outputs, 2), concat(states, 0), {}};
  }
  if (settings.forward) return run_forward(settings, x, h0, c0, weights, lengths);
  if (lengths.empty()) {
    Results out = run_forward(settings, flip(x, {1}), h0, c0, weights, {});
    out.output = flip(out.output, {1});
    return out;
  }
  // Rows of their own lengths, backwards: the second of two directions.
  const auto twice = [](const Tensor& of) { return of.defined() ? concat({of, of}) : of; };
  const Results both =
      run_forward(settings, x, twice(h0), twice(c0), {weights[0], weights[0]}, lengths);
  const auto second = [](const Tensor& of) { return of.defined() ? slice(of, 0, 1, 2) : of; };
  return {slice(both.output, 2, hidden, 2 * hidden), second(both.h), second(both.c)};
}

template <Cell kCell>
Operation recurrent_of(NodeReader& node) {
  const Settings settings = settings_of(node, kCell);
  return [settings](const std::vector<Tensor>& in, const Run&) {
    const std::vector<RnnWeights> weights = weights_of(in, settings);
    const auto directions = static_cast<Index>(settings.directions());
    const Tensor x = settings.batch_first ? in[0] : transpose(in[0], 0, 1);
    const Index batch = x.size(0), steps = x.size(1), hidden = settings.hidden;
    std::vector<Index> lengths;
    if (input_or_none(in, 4).defined()) {
      lengths = integers_of(in[4], "sequence_lens");
      check_lengths(lengths, batch, steps);
    }
    const auto state = [&](std::size_t i, const char* what) {
      Tensor out = input_or_none(in, i);
      if (!out.defined()) return out;
      if (settings.batch_first) out = transpose(out, 0, 1);
      check(out, {directions, batch, hidden}, what);
      return out;
    };
    const Results out = results_of(settings, x, state(5, "initial_h"),
                                   settings.cell == Cell::lstm ? state(6, "initial_c") : Tensor(),
                                   weights, lengths);
    const Tensor apart = reshape(out.output, {batch, steps, directions, hidden});
    const auto turned = [&](const Tensor& of) {
      return of.defined() && settings.batch_first ? transpose(of, 0, 1) : of;
    };
    return std::vector<Tensor>{settings.batch_first ? apart : permute(apart, {1, 2, 0, 3}),
                               turned(out.h), turned(out.c)};
  };
}

}  // namespace

void add_recurrent(Makers& to) {
  to["RNN"] = recurrent_of<Cell::rnn>;
  to["GRU"] = recurrent_of<Cell::gru>;
  to["LSTM"] = recurrent_of<Cell::lstm>;
}

}  // namespace heed::onnx
