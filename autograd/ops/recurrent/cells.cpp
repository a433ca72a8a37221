#include "cells.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/kernels/rnn/rnn_gates.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../linalg/matmul.h"
#include "../shape/join.h"
#include "../shape/shape.h"
#include "recurrent.h"

namespace heed {
namespace {

using detail::RnnCell;

// What the input gives to the gates is there already: checks it against the other weights.
void check_share(const char* op, const Tensor& from_x, Index gates, const RnnWeights& weights) {
  check_defined(op, from_x, "from_x", weights.w_hh, "w_hh");
  const Shape& w = weights.w_hh.shape();
  if (w.rank() != 2 || w[0] != gates * w[1] || from_x.rank() != 2 || from_x.size(1) != w[0]) {
    throw ShapeError(fmt::format("{}: from_x must be [B, {} H] and w_hh [{} H, H], not {} and {}",
                                 op, gates, gates, describe(from_x), describe(weights.w_hh)));
  }
  check_floating(op, from_x.dtype());
}

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

std::vector<Tensor> parts_of(const Tensor& x, Index count) {
  return split(x, std::vector<Index>(static_cast<std::size_t>(count), x.size(1) / count), 1);
}

Array dense(const Tensor& x) { return x.array().contiguous(); }

struct Gru {
  Tensor r, z, n;
  Tensor from_h;  // of n
};

Gru gru_parts(const Tensor& from_x, const Tensor& from_h) {
  const auto x = parts_of(from_x, 3), s = parts_of(from_h, 3);
  const Tensor r = sigmoid(x[0] + s[0]);
  return {r, sigmoid(x[1] + s[1]), tanh(x[2] + r * s[2]), s[2]};
}

Tensor gru_gates_plain(const Tensor& from_x, const Tensor& from_h, const Tensor& h) {
  const Gru at = gru_parts(from_x, from_h);
  return (1 - at.z) * at.n + at.z * h;
}

// The same in one pass; in the derivative g is that of the state after the step.
Tensor gru_gates(const Tensor& from_x, const Tensor& from_h, const Tensor& h) {
  if (traced()) return gru_gates_plain(from_x, from_h, h);
  kernels::GruGates out = kernels::gru_gates(dense(from_x), dense(from_h), dense(h));
  return record_shared(
      Op::gru, out.h, {from_x, from_h, h},
      [x = Saved(from_x), s = Saved(from_h), h = Saved(h), kept = std::move(out.kept)](
          const Tensor& g, const std::array<bool, 3>&) -> std::array<Tensor, 3> {
        if (!recording()) {
          const auto to = kernels::gru_gates_grad(dense(g), kept, dense(h()));
          return {Tensor(to.from_x), Tensor(to.from_h), Tensor(to.h)};
        }
        const Gru at = gru_parts(x(), s());
        const Tensor gn = g * (1 - at.z) * (1 - square(at.n));
        const Tensor gz = g * (h() - at.n) * at.z * (1 - at.z);
        const Tensor gr = gn * at.from_h * at.r * (1 - at.r);
        return {concat({gr, gz, gn}, 1), concat({gr, gz, gn * at.r}, 1), g * at.z};
      });
}

struct Lstm {
  Tensor i, f, g, o;
};

Lstm lstm_parts(const Tensor& sums) {
  const auto s = parts_of(sums, 4);
  return {sigmoid(s[0]), sigmoid(s[1]), tanh(s[2]), sigmoid(s[3])};
}

LstmState lstm_gates_plain(const Tensor& sums, const Tensor& c) {
  const Lstm at = lstm_parts(sums);
  const Tensor after = at.f * c + at.i * at.g;
  return {at.o * tanh(after), after};
}

LstmState lstm_gates(const Tensor& sums, const Tensor& c) {
  if (traced()) return lstm_gates_plain(sums, c);
  kernels::LstmGates out = kernels::lstm_gates(dense(sums), dense(c));
  const auto rule = [sums = Saved(sums), c = Saved(c), kept = std::move(out.kept)](
                        const Gradients& g, const std::vector<bool>&) -> Gradients {
    if (!recording()) {
      const auto given = [](const Tensor& t) { return t.defined() ? dense(t) : Array(); };
      const auto to = kernels::lstm_gates_grad(given(g[0]), given(g[1]), kept, dense(c()));
      return {Tensor(to.sums), Tensor(to.c)};
    }
    const Lstm at = lstm_parts(sums());
    const Tensor t = tanh(at.f * c() + at.i * at.g);
    const Tensor zero = tensor(0, c().dtype());
    const Tensor gh = g[0].defined() ? g[0] : zero;
    const Tensor gc = gh * at.o * (1 - square(t)) + (g[1].defined() ? g[1] : zero);
    return {concat({gc * at.g * at.i * (1 - at.i), gc * c() * at.f * (1 - at.f),
                    gc * at.i * (1 - square(at.g)), gh * t * at.o * (1 - at.o)},
                   1),
            gc * at.f};
  };
  const auto states = record_joint(Op::lstm, {out.h, out.c}, {sums, c}, rule);
  return {states[0], states[1]};
}

Tensor gru_from(const Tensor& x, const Tensor& h, const RnnWeights& weights,
                Tensor (*gates)(const Tensor&, const Tensor&, const Tensor&)) {
  check("gru_cell", RnnCell::gru, x, weights);
  const Tensor before = checked_state("gru_cell", "h", h, x, weights);
  return gates(linear(x, weights.w_ih, weights.b_ih), linear(before, weights.w_hh, weights.b_hh),
               before);
}

LstmState lstm_from(const Tensor& x, const LstmState& state, const RnnWeights& weights,
                    LstmState (*gates)(const Tensor&, const Tensor&)) {
  check("lstm_cell", RnnCell::lstm, x, weights);
  const Tensor h = checked_state("lstm_cell", "h", state.h, x, weights);
  const Tensor c = checked_state("lstm_cell", "c", state.c, x, weights);
  return gates(linear(x, weights.w_ih, weights.b_ih) + linear(h, weights.w_hh, weights.b_hh), c);
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
  return gru_from(x, h, weights, gru_gates);
}
Tensor gru_cell_from(const Tensor& from_x, const Tensor& h, const RnnWeights& weights) {
  check_share("gru_cell", from_x, 3, weights);
  const Tensor before = checked_state("gru_cell", "h", h, from_x, weights);
  return gru_gates(from_x, linear(before, weights.w_hh, weights.b_hh), before);
}
Tensor gru_cell_plain(const Tensor& x, const Tensor& h, const RnnWeights& weights) {
  return gru_from(x, h, weights, gru_gates_plain);
}

LstmState lstm_cell(const Tensor& x, const LstmState& state, const RnnWeights& weights) {
  return lstm_from(x, state, weights, lstm_gates);
}
LstmState lstm_cell_from(const Tensor& from_x, const LstmState& state, const RnnWeights& weights) {
  check_share("lstm_cell", from_x, 4, weights);
  const Tensor h = checked_state("lstm_cell", "h", state.h, from_x, weights);
  const Tensor c = checked_state("lstm_cell", "c", state.c, from_x, weights);
  return lstm_gates(from_x + linear(h, weights.w_hh, weights.b_hh), c);
}
LstmState lstm_cell_plain(const Tensor& x, const LstmState& state, const RnnWeights& weights) {
  return lstm_from(x, state, weights, lstm_gates_plain);
}

}  // namespace heed
