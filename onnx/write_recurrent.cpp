// Recurrent layers, as ONNX's own: the gates stand in another order there, and both biases in one
// vector. x [B, T, I] is [T, B, I] there, output [B, T, D H] is [T, D, B, H].
#include "../core/error.h"
#include "step.h"

namespace heed::onnx {
namespace {

constexpr std::size_t kFirstWeight = 3;  // behind x, h0, c0

// The parts of a weight's first axis in the order given.
std::string in_order(GraphWriter& to, const std::string& weight, const std::vector<Index>& order) {
  if (order.size() == 1) return weight;
  const Names parts =
      to.nodes("Split", {weight}, order.size(), {attribute("axis", std::int64_t{0})});
  Names turned;
  for (const Index part : order) turned.push_back(parts[static_cast<std::size_t>(part)]);
  return to.node("Concat", turned, {attribute("axis", std::int64_t{0})});
}

std::string of_directions(GraphWriter& to, const Names& each) {
  Names wide;
  for (const std::string& one : each) wide.push_back(to.node("Unsqueeze", {one, to.whole({0})}));
  return wide.size() == 1 ? wide[0] : to.node("Concat", wide, {attribute("axis", std::int64_t{0})});
}

void recurrent(const Step& step, const char* type, const std::vector<Index>& order,
               Attributes attributes) {
  GraphWriter& to = step.to;
  if (step.number("packed") != 0) to.refuse("of packed sequences: ONNX has padded ones alone");
  const std::size_t directions = (step.inputs() - kFirstWeight) / 4;
  const Index H = step.array(kFirstWeight + 1).size(1);
  Names w, r, b;
  for (std::size_t d = 0; d < directions; ++d) {
    const std::size_t at = kFirstWeight + 4 * d;
    w.push_back(in_order(to, step.in(at), order));
    r.push_back(in_order(to, step.in(at + 1), order));
    if (!step.has(at + 2) && !step.has(at + 3)) continue;
    const auto bias = [&](std::size_t i) {
      return step.has(i) ? in_order(to, step.in(i), order)
                         : to.constant(Array::zeros({step.array(at).size(0)}, step.dtype()));
    };
    b.push_back(
        to.node("Concat", {bias(at + 2), bias(at + 3)}, {attribute("axis", std::int64_t{0})}));
  }
  std::string lengths = step.operand("lengths");
  if (!lengths.empty()) {
    lengths =
        to.node("Cast", {lengths}, {attribute("to", static_cast<std::int64_t>(DataType::i32))});
  }
  const std::vector<Index> swap = {1, 0, 2};
  const std::string x = to.node("Transpose", {step.in(0)}, {attribute("perm", swap)});
  Names inputs = {x,
                  of_directions(to, w),
                  of_directions(to, r),
                  b.empty() ? std::string() : of_directions(to, b),
                  lengths,
                  step.in(1),
                  step.in(2)};
  attributes.push_back(attribute("hidden_size", std::int64_t{H}));
  attributes.push_back(
      attribute("direction", std::string(directions == 2 ? "bidirectional" : "forward")));
  const Names out = to.nodes(type, inputs, step.results(), attributes);
  std::string all;
  if (directions == 1) {
    all = to.node("Transpose", {to.node("Squeeze", {out[0], to.whole({1})})},
                  {attribute("perm", swap)});
  } else {
    const std::string turned =
        to.node("Transpose", {out[0]}, {attribute("perm", std::vector<Index>{2, 0, 1, 3})});
    all = to.node("Reshape", {turned, to.whole({0, 0, 2 * H})});
  }
  step.out(all, 0);
  for (std::size_t i = 1; i < step.results(); ++i) step.out(out[i], i);
}

// Ours are reset, update, new.
void gru(const Step& step) {
  recurrent(step, "GRU", {1, 0, 2}, {attribute("linear_before_reset", std::int64_t{1})});
}

// Ours are input, forget, cell, output.
void lstm(const Step& step) { recurrent(step, "LSTM", {0, 3, 1, 2}, {}); }

void rnn(const Step& step) {
  const std::string activation = step.number("relu") != 0 ? "Relu" : "Tanh";
  const std::size_t directions = (step.inputs() - kFirstWeight) / 4;
  recurrent(step, "RNN", {0}, {{"activations", std::vector<std::string>(directions, activation)}});
}

}  // namespace

void add_recurrent(Writers& to) {
  to["gru"] = gru;
  to["lstm"] = lstm;
  to["rnn"] = rnn;
}

}  // namespace heed::onnx
