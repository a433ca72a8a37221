#include "pointer_network.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/recurrent/lstm.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/decoder_checks.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "pointer_network";

PointerNetworkOptions checked(PointerNetworkOptions options) {
  if (options.input_width <= 0 || options.key_width <= 0 || options.state_width <= 0 ||
      options.hidden < 0) {
    throw ValueError(fmt::format(
        "{}: input_width {}, key_width {} and state_width {} must be "
        "positive, hidden {} not negative",
        kOp, options.input_width, options.key_width, options.state_width, options.hidden));
  }
  if (options.hidden == 0) options.hidden = options.state_width;
  return options;
}

void check_places(const Tensor& places, const Shape& shape, Index keys) {
  check_state(kOp, "places", places, shape, DType::i64);
  for (const Index place : places.array().to_vector<Index>()) {
    if (place >= keys) {
      throw IndexError(fmt::format("{}: place {} is not among {} keys", kOp, place, keys));
    }
  }
}

// bool [B, T, K]: what is left at each step, when `places` [B, T] are pointed to one after the
// other; `left` [B, 1, K], or undefined, before the first. Leaves in it what is left in the end.
Tensor left_at(const Tensor& places, Index K, Tensor& left) {
  const Index B = places.size(0), T = places.size(1);
  Array now = left.defined() ? left.array().contiguous().clone()
                             : Array::full(Shape{B, 1, K}, 1, DType::boolean);
  Array out = Array::full(Shape{B, T, K}, 1, DType::boolean);
  const auto at = places.array().to_vector<Index>();
  bool* row = now.mutable_data<bool>();
  bool* to = out.mutable_data<bool>();
  for (Index i = 0; i < B * T; ++i) {
    bool* own = row + i / T * K;
    std::copy_n(own, K, to + i * K);
    const Index place = at[static_cast<std::size_t>(i)];
    if (place >= 0) own[place] = false;
  }
  left = now;
  return out;
}

}  // namespace

PointerNetwork::PointerNetwork(const PointerNetworkOptions& options)
    : options_(checked(options)),
      first_input(parameter("first_input", zeros(Shape{options_.input_width}, options_.dtype))),
      cell(child<nn::LSTMCell>("cell", options_.input_width, options_.state_width, true,
                               options_.dtype)),
      point(child<Pointer>("point", options_.state_width, options_.key_width, options_.hidden,
                           options_.dtype)) {
  const double bound = 1 / std::sqrt(static_cast<double>(options_.state_width));
  nn::uniform_(first_input, -bound, bound);
}

void PointerNetwork::State::reorder(const Tensor& rows, bool sources) {
  const Memory carried = sources ? memory.rows(rows) : memory;  // or it throws
  lstm = {index_select(lstm.h, 0, rows), index_select(lstm.c, 0, rows)};
  if (left.defined()) left = index_select(left, 0, rows);
  if (sources) inputs = index_select(inputs, 0, rows);
  memory = carried;
}

PointerNetwork::State PointerNetwork::start(const Tensor& keys, const Tensor& inputs,
                                            const Mask& mask, const LstmState& begin) const {
  check_batch(kOp, "inputs", inputs);
  check_rows(kOp, "inputs", inputs, options_.input_width, first_input.dtype());
  State state{begin, named(kOp, [&] { return point.prepare(keys, mask); }), inputs, Tensor()};
  if (keys.size(0) != inputs.size(0) || keys.size(1) != inputs.size(1)) {
    throw ShapeError(fmt::format("{}: keys {} and inputs {} differ in rows or places", kOp,
                                 describe(keys), describe(inputs)));
  }
  mask.tensor(Shape{keys.size(0), 1, keys.size(1)}, kOp);  // throws where it does not fit
  const Shape shape{keys.size(0), options_.state_width};
  for (Tensor* x : {&state.lstm.h, &state.lstm.c}) {
    if (!x->defined()) *x = zeros(shape, first_input.dtype());
    check_state(kOp, "the first state", *x, shape, first_input.dtype());
  }
  return state;
}

// places [B, T] -> [B, T, I].
Tensor PointerNetwork::read(const Tensor& places, const State& state) const {
  const Index B = places.size(0), T = places.size(1), K = state.inputs.size(1);
  const Index I = options_.input_width;
  check_rows(kOp, "the state's inputs", state.inputs, I, first_input.dtype());
  if (K == 0) return zeros(Shape{B, T, I}, first_input.dtype());
  Array rows = places.array().contiguous().clone();
  for (Index i = 0; i < rows.numel(); ++i) {
    Index& row = rows.mutable_data<Index>()[i];
    row = std::max<Index>(row, 0) + i / T * K;
  }
  const Tensor flat = reshape(state.inputs, Shape{B * K, I});
  const Tensor read = index_select(flat, 0, reshape(Tensor(rows), Shape{B * T}));
  return where(unsqueeze(places >= 0, -1), reshape(read, Shape{B, T, I}), 0);
}

Tensor PointerNetwork::step(const Tensor& places, State& state) const {
  const Scope scope(*this);
  const Index B = state.inputs.size(0), K = state.inputs.size(1), I = options_.input_width;
  Tensor x = expand(first_input, Shape{B, I});
  if (places.defined()) {
    check_places(places, Shape{B}, K);
    const Tensor last = unsqueeze(places, 1);
    x = squeeze(read(last, state), 1);
    if (options_.once) left_at(last, K, state.left);
  }
  state.lstm = cell(x, state.lstm);
  const Mask mask = state.left.defined() ? Mask(state.left) : Mask();
  const Tensor log_p =
      named(kOp, [&] { return point(unsqueeze(state.lstm.h, 1), state.memory, mask); });
  return forwarded(squeeze(log_p, 1));
}

Tensor PointerNetwork::run(const Tensor& targets, State& state) const {
  const Scope scope(*this);
  check_defined(kOp, targets, "targets");
  const Index B = state.inputs.size(0), K = state.inputs.size(1), I = options_.input_width;
  const Index T = targets.rank() == 2 ? targets.size(1) : 0;
  check_places(targets, Shape{B, T}, K);
  if (T == 0) return forwarded(zeros(Shape{B, 0, K}, first_input.dtype()));
  Tensor x = expand(first_input, Shape{B, 1, I});
  if (T > 1) x = concat({x, read(narrow(targets, 1, 0, T - 1), state)}, 1);
  const RnnWeights weights{cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh};
  const LstmResult all =
      lstm(x, {unsqueeze(state.lstm.h, 0), unsqueeze(state.lstm.c, 0)}, {weights});
  state.lstm = {squeeze(all.h_n, 0), squeeze(all.c_n, 0)};
  Mask mask;
  if (options_.once) mask = Mask(left_at(targets, K, state.left));
  return forwarded(named(kOp, [&] { return point(all.output, state.memory, mask); }));
}

Tensor PointerNetwork::operator()(const Tensor& keys, const Tensor& inputs, const Tensor& targets,
                                  const Mask& mask, const LstmState& begin) const {
  const Scope scope(*this);
  State state = start(keys, inputs, mask, begin);
  return run(targets, state);
}

Tensor PointerNetwork::decode(State& state, Index steps) const {
  if (steps < 0) throw ValueError(fmt::format("{}: {} steps are below 0", kOp, steps));
  const NoGrad off;
  const Index B = state.inputs.size(0), K = state.inputs.size(1);
  Array out = Array::full(Shape{B, steps}, -1, DType::i64);
  Tensor places;
  for (Index t = 0; t < steps && K > 0; ++t) {
    const Tensor log_p = step(places, state);
    const auto best = argmax(log_p, -1).array().to_vector<Index>();
    const auto impossible = heed::all(isinf(log_p), {-1}).array().to_vector<bool>();
    Array now = Array::empty(Shape{B}, DType::i64);
    for (Index b = 0; b < B; ++b) {
      const auto row = static_cast<std::size_t>(b);
      now.mutable_data<Index>()[b] = impossible[row] ? -1 : best[row];
      out.mutable_data<Index>()[b * steps + t] = now.data<Index>()[b];
    }
    places = now;
  }
  return out;
}

}  // namespace heed::attention
