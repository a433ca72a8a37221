#include "gru.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/kernels/gru.h"
#include "../record.h"
#include "elementwise.h"
#include "matmul.h"
#include "reduce.h"
#include "shape.h"

namespace heed {
namespace {

Index hidden(const std::vector<GruWeights>& directions) { return directions[0].w_hh.size(1); }

void check_one(const Tensor& tensor, const char* what, const Shape& shape, const Tensor& x) {
  if (!tensor.defined() || !(tensor.shape() == shape)) {
    throw ShapeError(fmt::format("gru: {} must be {} for x {}, not {}", what, to_string(shape),
                                 describe(x), describe(tensor)));
  }
  if (tensor.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("gru: {} is {} for x {}", what, describe(tensor), describe(x)));
  }
}

void check(const Tensor& x, const Tensor& h0, const std::vector<GruWeights>& directions,
           const std::vector<Index>& lengths) {
  if (!x.defined() || x.rank() != 3) {
    throw ShapeError(fmt::format("gru: x must be [B, T, I], not {}", describe(x)));
  }
  check_floating("gru", x.dtype());
  if (directions.empty() || directions.size() > 2) {
    throw ValueError(fmt::format("gru: directions must be 1 or 2, not {}", directions.size()));
  }
  const Tensor& w = directions[0].w_hh;
  if (!w.defined() || w.rank() != 2 || w.size(1) == 0 || w.size(0) != 3 * w.size(1)) {
    throw ShapeError(fmt::format("gru: w_hh must be [3 H, H] with H > 0, not {}", describe(w)));
  }
  const Index H = hidden(directions);
  for (const GruWeights& weights : directions) {
    check_one(weights.w_ih, "w_ih", Shape{3 * H, x.size(2)}, x);
    check_one(weights.w_hh, "w_hh", Shape{3 * H, H}, x);
    if (weights.b_ih.defined()) check_one(weights.b_ih, "b_ih", Shape{3 * H}, x);
    if (weights.b_hh.defined()) check_one(weights.b_hh, "b_hh", Shape{3 * H}, x);
  }
  if (h0.defined()) {
    check_one(h0, "h0", Shape{static_cast<Index>(directions.size()), x.size(0), H}, x);
  }
  if (!lengths.empty() && static_cast<Index>(lengths.size()) != x.size(0)) {
    throw ShapeError(fmt::format("gru: {} lengths for x {}", lengths.size(), describe(x)));
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > x.size(1)) {
      throw ValueError(
          fmt::format("gru: length {} at {} is not in [0, {}]", lengths[i], i, x.size(1)));
    }
  }
}

// [B, T, 1]: true where a step is real.
Tensor real_steps(const Tensor& x, const std::vector<Index>& lengths) {
  Array mask = Array::full(Shape{x.size(0), x.size(1), 1}, 1, DType::boolean);
  bool* row = mask.mutable_data<bool>();
  for (const Index length : lengths) {
    std::fill(row + length, row + x.size(1), false);
    row += x.size(1);
  }
  return mask;
}

// One direction, step by step in the order of its walk; everything [B, H].
struct Step {
  Index t;
  Tensor real;  // [B, 1]
  Tensor h, r, z, n, m, next;
};

std::vector<Step> walk(const Tensor& x, const Tensor& real, Tensor h, const GruWeights& w,
                       bool reverse) {
  const Index T = x.size(1);
  const Index H = h.size(1);
  std::vector<Step> steps;
  for (Index s = 0; s < T; ++s) {
    Step step{reverse ? T - 1 - s : s, {}, h, {}, {}, {}, {}, {}};
    step.real = select(real, 1, step.t);
    const auto i = split(linear(select(x, 1, step.t), w.w_ih, w.b_ih), {H, H, H}, 1);
    const auto r = split(linear(h, w.w_hh, w.b_hh), {H, H, H}, 1);
    step.r = sigmoid(i[0] + r[0]);
    step.z = sigmoid(i[1] + r[1]);
    step.m = r[2];
    step.n = tanh(i[2] + step.r * step.m);
    step.next = h = where(step.real, (1 - step.z) * step.n + step.z * h, h);
    steps.push_back(std::move(step));
  }
  return steps;
}

Tensor first_state(const Tensor& x, const Tensor& h0, Index direction, Index H) {
  return h0.defined() ? select(h0, 0, direction) : zeros(Shape{x.size(0), H}, x.dtype());
}

// The derivative in plain operators, for a pass that is recorded itself: back through each step of
// the walk, then the products over all of them. One gradient an input, in gru()'s order.
Gradients plain_gradients(const Tensor& x, const Tensor& h0,
                          const std::vector<GruWeights>& directions,
                          const std::vector<Index>& lengths, const Gradients& g,
                          const std::vector<bool>& needs) {
  const Index B = x.size(0), T = x.size(1), H = hidden(directions);
  const Tensor real = real_steps(x, lengths);
  const Tensor zero = tensor(0, x.dtype());
  const Tensor clean = where(real, x, zero);
  Gradients out(needs.size());
  std::vector<Tensor> starts;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const Index direction = static_cast<Index>(d);
    const GruWeights& w = directions[d];
    const std::vector<Step> steps = walk(clean, real, first_state(x, h0, direction, H), w, d == 1);
    // Of the sums W x + b and W h + b, by step; and the states that W h was made of. [B, 3H], [B,
    // H]
    std::vector<Tensor> g_inputs(steps.size()), g_states(steps.size()), states(steps.size());
    Tensor gh = g[1].defined() ? select(g[1], 0, direction) : zeros(Shape{B, H}, x.dtype());
    for (std::size_t s = steps.size(); s-- > 0;) {
      const Step& step = steps[s];
      Tensor go = gh;
      if (g[0].defined()) go = go + narrow(select(g[0], 1, step.t), 1, direction * H, H);
      go = where(step.real, go, zero);
      const Tensor gz = go * (step.h - step.n) * step.z * (1 - step.z);
      const Tensor gn = go * (1 - step.z) * (1 - square(step.n));
      const Tensor gm = gn * step.r;
      const Tensor gr = gm * step.m * (1 - step.r);
      const std::size_t t = static_cast<std::size_t>(step.t);
      g_inputs[t] = concat({gr, gz, gn}, 1);
      g_states[t] = concat({gr, gz, gm}, 1);
      states[t] = step.h;
      gh = where(step.real, go * step.z + matmul(g_states[t], w.w_hh), gh);
    }
    starts.push_back(gh);
    if (T == 0) continue;
    const auto flat = [](const std::vector<Tensor>& parts) {
      return flatten(stack(parts, 1), 0, 1);
    };
    const Tensor g_input = flat(g_inputs);  // [B T, 3H]
    const Tensor g_state = flat(g_states);
    const Tensor gx = reshape(matmul(g_input, w.w_ih), x.shape());
    out[0] = out[0].defined() ? out[0] + gx : gx;
    Tensor* const gw = &out[2 + 4 * d];
    gw[0] = matmul(transpose(g_input, 0, 1), reshape(clean, Shape{B * T, x.size(2)}));
    gw[1] = matmul(transpose(g_state, 0, 1), flat(states));
    gw[2] = sum(g_input, {0});
    gw[3] = sum(g_state, {0});
  }
  out[1] = stack(starts, 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!needs[i]) out[i] = Tensor();
  }
  return out;
}

}  // namespace

GruResult gru_plain(const Tensor& x, const Tensor& h0, const std::vector<GruWeights>& directions,
                    const std::vector<Index>& lengths) {
  check(x, h0, directions, lengths);
  const Index B = x.size(0), T = x.size(1), H = hidden(directions);
  const Tensor real = real_steps(x, lengths);
  const Tensor zero = tensor(0, x.dtype());
  const Tensor clean = where(real, x, zero);
  std::vector<Tensor> outputs, ends;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const Tensor start = first_state(x, h0, static_cast<Index>(d), H);
    const std::vector<Step> steps = walk(clean, real, start, directions[d], d == 1);
    std::vector<Tensor> states(steps.size());
    for (const Step& step : steps) {
      states[static_cast<std::size_t>(step.t)] = where(step.real, step.next, zero);
    }
    outputs.push_back(T == 0 ? zeros(Shape{B, 0, H}, x.dtype()) : stack(states, 1));
    ends.push_back(T == 0 ? start : steps.back().next);
  }
  return {concat(outputs, 2), stack(ends, 0)};
}

GruResult gru(const Tensor& x, const Tensor& h0, const std::vector<GruWeights>& directions,
              const std::vector<Index>& lengths) {
  check(x, h0, directions, lengths);
  std::vector<InputRef> inputs = {x, h0};
  std::vector<kernels::GruWeights> weights;
  const auto array = [](const Tensor& tensor) {
    return tensor.defined() ? tensor.array() : Array();
  };
  for (const GruWeights& w : directions) {
    inputs.insert(inputs.end(), {w.w_ih, w.w_hh, w.b_ih, w.b_hh});
    weights.push_back({array(w.w_ih), array(w.w_hh), array(w.b_ih), array(w.b_hh)});
  }
  const kernels::Gru kernel(x.size(0), x.size(1), lengths, std::move(weights));
  kernels::Gru::Result result = kernel.forward(x.array(), array(h0));
  std::vector<Saved> saved;
  for (const InputRef& input : inputs) saved.emplace_back(*input);
  const auto rule = [saved = std::move(saved), kernel, lengths, out = SavedOutput(result.out),
                     gates = std::move(result.gates)](const Gradients& g,
                                                      const std::vector<bool>& needs) {
    std::vector<Tensor> from;
    for (const Saved& input : saved) from.push_back(input());
    if (recording()) {
      std::vector<GruWeights> plain;
      for (std::size_t i = 2; i < from.size(); i += 4) {
        plain.push_back({from[i], from[i + 1], from[i + 2], from[i + 3]});
      }
      return plain_gradients(from[0], from[1], plain, lengths, g, needs);
    }
    const auto numbers = [](const Tensor& tensor) {
      return tensor.defined() ? tensor.array() : Array();
    };
    kernels::Gru::Needs wanted{needs[0], needs[1], {}};
    for (std::size_t i = 2; i < needs.size(); i += 4) {
      wanted.weights.push_back({needs[i], needs[i + 1], needs[i + 2], needs[i + 3]});
    }
    const kernels::Gru::Gradients grads =
        kernel.backward(from[0].array(), numbers(from[1]), {out.array(), Array(), gates},
                        numbers(g[0]), numbers(g[1]), wanted);
    Gradients to;
    const auto give = [&to](const Array& gradient) {
      to.push_back(gradient.defined() ? Tensor(gradient) : Tensor());
    };
    give(grads.x);
    give(grads.h0);
    for (const kernels::GruWeights& w : grads.weights) {
      give(w.w_ih);
      give(w.w_hh);
      give(w.b_ih);
      give(w.b_hh);
    }
    return to;
  };
  std::vector<Tensor> outs = record_joint(Op::gru, {result.out, result.h_n}, inputs, rule);
  return {outs[0], outs[1]};
}

}  // namespace heed
