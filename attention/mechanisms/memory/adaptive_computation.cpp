#include "adaptive_computation.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "AdaptiveComputation";

const AdaptiveComputationOptions& checked(const AdaptiveComputationOptions& o) {
  if (o.state <= 0 || o.max_steps <= 0) {
    throw ValueError(
        fmt::format("{}: state {} and max_steps {} must be positive", kName, o.state, o.max_steps));
  }
  if (!(o.epsilon > 0 && o.epsilon < 1)) {
    throw ValueError(fmt::format("{}: epsilon {} must be between 0 and 1", kName, o.epsilon));
  }
  if (!o.cell) throw ValueError(fmt::format("{}: there is no cell", kName));
  return o;
}

void check_input(const Tensor& x, Index rank, const char* shape, DType dtype) {
  check_defined(kName, x, "x");
  if (x.rank() != rank) {
    throw ShapeError(fmt::format("{}: x must be {}, not {}", kName, shape, describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: x must be {}, not {}", kName, name(dtype), describe(x)));
  }
}

void check_state(const char* what, const Tensor& state, const Shape& shape, DType dtype) {
  if (!state.defined()) throw GradError(fmt::format("{}: {} is undefined", kName, what));
  if (state.shape() != shape) {
    throw ShapeError(fmt::format("{}: {} must be {}, not {}", kName, what, heed::to_string(shape),
                                 describe(state)));
  }
  if (state.dtype() != dtype) {
    throw DTypeError(
        fmt::format("{}: {} must be {}, not {}", kName, what, name(dtype), describe(state)));
  }
}

}  // namespace

AdaptiveComputation::AdaptiveComputation(const AdaptiveComputationOptions& options)
    : options_(checked(options)),
      halting(child<nn::Linear>("halting", options.state, 1, true, options.dtype)) {
  nn::ones_(halting.bias);
}

AdaptiveComputationOutput AdaptiveComputation::ponder(const Tensor& x, const Tensor& before,
                                                      const Tensor& real, bool need_weights) const {
  const Index B = x.size(0);
  const DType dtype = halting.weight.dtype();
  const Tensor flag = ones({B, 1}, dtype);
  const Tensor first = concat({x, flag}, 1), later = concat({x, flag * 0}, 1);
  const Tensor nothing = zeros({B, 1}, dtype);
  Tensor running = real.defined() ? real : flag > 0;  // bool [B, 1]
  Tensor state = before, mean, used = nothing, remainder = nothing, steps = nothing;
  std::vector<Tensor> weights;
  for (Index n = 1;; ++n) {
    const Tensor next = named(kName, [&] { return options_.cell(n == 1 ? first : later, state); });
    check_state("the state that the cell gives", next, {B, options_.state}, dtype);
    state = where(running, next, state);
    // Rows that have stopped get no part, and what is not finite in them stays theirs.
    const Tensor halt = sigmoid(halting(where(running, next, 0)));
    const Tensor sum_now = used + halt;
    const Tensor stops =
        n == options_.max_steps ? running : logical_and(running, sum_now >= 1 - options_.epsilon);
    const Tensor rest = 1 - used;
    const Tensor p = where(running, where(stops, rest, halt), 0);
    const Tensor part = where(running, p * next, 0);
    mean = mean.defined() ? mean + part : part;
    remainder = where(stops, rest, remainder);
    steps = steps + heed::to(running, dtype);
    if (need_weights) weights.push_back(p);
    running = logical_and(running, logical_not(stops));
    used = where(running, sum_now, used);
    if (any(running).array().item() == 0) break;
  }
  AdaptiveComputationOutput out;
  out.state = real.defined() ? where(real, mean, before) : mean;
  out.cost = squeeze(steps.detach() + remainder, 1);
  out.steps = heed::to(squeeze(steps.detach(), 1), DType::i64);
  if (need_weights) {
    const Index unused = options_.max_steps - static_cast<Index>(weights.size());
    if (unused > 0) weights.push_back(zeros({B, unused}, dtype));
    out.weights = concat(weights, 1);
  }
  return out;
}

AdaptiveComputationOutput AdaptiveComputation::step(const Tensor& x, const Tensor& state,
                                                    bool need_weights) const {
  const Scope scope(*this);
  const DType dtype = halting.weight.dtype();
  check_input(x, 2, "[B, I]", dtype);
  const Shape shape{x.size(0), options_.state};
  if (state.defined()) check_state("the state", state, shape, dtype);
  AdaptiveComputationOutput out =
      ponder(x, state.defined() ? state : zeros(shape, dtype), Tensor(), need_weights);
  out.state = forwarded(out.state);
  return out;
}

AdaptiveComputationOutput AdaptiveComputation::operator()(const Tensor& x,
                                                          const std::vector<Index>& lengths,
                                                          const Tensor& start,
                                                          bool need_weights) const {
  const Scope scope(*this);
  const DType dtype = halting.weight.dtype();
  check_input(x, 3, "[B, T, I]", dtype);
  const Index B = x.size(0), T = x.size(1);
  const Shape shape{B, options_.state};
  if (start.defined()) check_state("the state", start, shape, dtype);
  const MaskedSequence read = masked_sequence(kName, "x", x, lengths);
  AdaptiveComputationOutput out;
  if (T == 0) {
    out = {zeros({B, 0, options_.state}, dtype), zeros({B, 0}, dtype),
           Tensor(Array::zeros({B, 0}, DType::i64))};
    if (need_weights) out.weights = zeros({B, 0, options_.max_steps}, dtype);
    out.state = forwarded(out.state);
    return out;
  }
  Tensor state = start.defined() ? start : zeros(shape, dtype);
  std::vector<Tensor> states, costs, steps, weights;
  for (Index t = 0; t < T; ++t) {
    const Tensor takes = read.real.defined() ? narrow(read.real, 1, t, 1) : Tensor();
    const AdaptiveComputationOutput now = ponder(select(read.x, 1, t), state, takes, need_weights);
    state = now.state;
    states.push_back(state);
    costs.push_back(now.cost);
    steps.push_back(now.steps);
    if (need_weights) weights.push_back(now.weights);
  }
  out.state = forwarded(zero_elsewhere(stack(states, 1), read.real));
  out.cost = stack(costs, 1);
  out.steps = stack(steps, 1);
  if (need_weights) out.weights = stack(weights, 1);
  return out;
}

}  // namespace heed::attention
