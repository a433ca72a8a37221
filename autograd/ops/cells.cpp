#include "cells.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../check_defined.h"
#include "elementwise.h"
#include "matmul.h"
#include "recurrent.h"
#include "shape.h"

namespace heed {
namespace {

using detail::RnnCell;

// Checks the arguments of a cell; a state that is not given is zeros.
Tensor checked_state(const char* op, const char* what, const Tensor& state, const Tensor& x,
                     const RnnWeights& weights) {
  const Shape shape{x.size(0), weights.w_hh.size(1)};
  if (!state.defined()) return zeros(shape, x.dtype());
  detail::check_state(op, what, state, shape, x);
  return state;
}

void check(const char* op, RnnCell cell, const Tensor& x, const RnnWeights& weights) {
  check_defined(op, x, "x");
  if (x.rank() != 2) {
    throw ShapeError(fmt::format("{}: x must be [B, I], not {}", op, describe(x)));
  }
  check_floating(op, x.dtype());
  detail::check_weights(op, cell, x, {weights});
}

// W x + b, gate by gate.
std::vector<Tensor> gates(const Tensor& x, const Tensor& weight, const Tensor& bias, Index count) {
  const std::vector<Index> widths(static_cast<std::size_t>(count), weight.size(0) / count);
  return split(linear(x, weight, bias), widths, 1);
}

}  // namespace

Tensor rnn_cell(const Tensor& x, const Tensor& h, const RnnWeights& weights,
                Nonlinearity nonlinearity) {
  check("rnn_cell", RnnCell::tanh, x, weights);
  const Tensor before = checked_state("rnn_cell", "h", h, x, weights);
  const Tensor sum =
      linear(x, weights.w_ih, weights.b_ih) + linear(before, weights.w_hh, weights.b_hh);
  return nonlinearity == Nonlinearity::tanh ? tanh(sum) : relu(sum);
}

Tensor gru_cell(const Tensor& x, const Tensor& h, const RnnWeights& weights) {
  check("gru_cell", RnnCell::gru, x, weights);
  const Tensor before = checked_state("gru_cell", "h", h, x, weights);
  const auto from_x = gates(x, weights.w_ih, weights.b_ih, 3);
  const auto from_h = gates(before, weights.w_hh, weights.b_hh, 3);
  const Tensor r = sigmoid(from_x[0] + from_h[0]);
  const Tensor z = sigmoid(from_x[1] + from_h[1]);
  const Tensor n = tanh(from_x[2] + r * from_h[2]);
  return (1 - z) * n + z * before;
}

LstmState lstm_cell(const Tensor& x, const LstmState& state, const RnnWeights& weights) {
  check("lstm_cell", RnnCell::lstm, x, weights);
  const Tensor h = checked_state("lstm_cell", "h", state.h, x, weights);
  const Tensor c = checked_state("lstm_cell", "c", state.c, x, weights);
  const Tensor sums = linear(x, weights.w_ih, weights.b_ih) + linear(h, weights.w_hh, weights.b_hh);
  const Index H = h.size(1);
  const auto parts = split(sums, {H, H, H, H}, 1);
  const Tensor after = sigmoid(parts[1]) * c + sigmoid(parts[0]) * tanh(parts[2]);
  return {sigmoid(parts[3]) * tanh(after), after};
}

}  // namespace heed
