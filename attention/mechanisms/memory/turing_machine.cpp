#include "turing_machine.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/normalize.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/arrange.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "TuringMachine";
constexpr double kEps = 1e-8;     // of the cosine's norms
constexpr double kMemory = 1e-6;  // every number of a new memory

void check_rank(const char* what, const Tensor& x) {
  check_defined(kName, x, what);
  if (x.rank() == 3) return;
  throw ShapeError(fmt::format("{}: {} must be [B, any, any], not {}", kName, what, describe(x)));
}

void check_shape(const char* what, const Tensor& x, const Shape& shape, const Tensor& like) {
  check_defined(kName, x, what);
  if (x.shape() != shape) {
    throw ShapeError(
        fmt::format("{}: {} must be {}, not {}", kName, what, heed::to_string(shape), describe(x)));
  }
  if (x.dtype() != like.dtype()) {
    throw DTypeError(fmt::format("{}: {} must be {} as the memory, not {}", kName, what,
                                 name(like.dtype()), describe(x)));
  }
}

const TuringMachineOptions& checked(const TuringMachineOptions& o) {
  const bool positive = o.input > 0 && o.output > 0 && o.hidden > 0 && o.slots > 0 &&
                        o.slot_width > 0 && o.read_heads > 0 && o.write_heads > 0;
  if (positive && o.reach >= 0) return o;
  throw ValueError(fmt::format(
      "{}: input {}, output {}, hidden {}, slots {}, slot_width {}, read_heads {} and write_heads "
      "{} must be positive, reach {} not negative",
      kName, o.input, o.output, o.hidden, o.slots, o.slot_width, o.read_heads, o.write_heads,
      o.reach));
}

Checked signal_width(const TuringMachineOptions& o) {
  return Checked(kName, o.slot_width) + 3 + 2 * Checked(kName, o.reach) + 1;
}
Checked head_count(const TuringMachineOptions& o) {
  return Checked(kName, o.read_heads) + o.write_heads;
}
Checked read_width(const TuringMachineOptions& o) {
  return Checked(kName, o.read_heads) * o.slot_width;
}

}  // namespace

Tensor address_memory(const Tensor& memory, const Tensor& last, const HeadSignals& signals) {
  check_rank("memory", memory);
  check_rank("last weights", last);
  check_rank("shift", signals.shift);
  const Index B = memory.size(0), N = memory.size(1), H = last.size(1);
  const Index S = signals.shift.size(2);
  if (S % 2 == 0) {
    throw ShapeError(fmt::format("{}: shift must be [B, H, 2 reach + 1], not {}", kName,
                                 describe(signals.shift)));
  }
  check_shape("last weights", last, {B, H, N}, memory);
  check_shape("gate", signals.gate, {B, H, 1}, memory);
  check_shape("shift", signals.shift, {B, H, S}, memory);
  check_shape("sharpen", signals.sharpen, {B, H, 1}, memory);
  const Tensor content = find_in_memory(memory, signals.key, signals.strength);
  const Tensor gated = lerp(last, content, signals.gate);
  Tensor shifted;
  for (Index d = 0; d < S; ++d) {
    const Tensor moved = d == S / 2 ? gated : roll(gated, {d - S / 2}, {-1});
    const Tensor part = moved * narrow(signals.shift, -1, d, 1);
    shifted = shifted.defined() ? shifted + part : part;
  }
  // wtilde^gamma over its sum, as a softmax: no underflow, and a weight of 0 stays 0.
  const Tensor some = logical_not(shifted <= 0);  // NaN is to stay NaN
  return softmax(signals.sharpen * log(where(some, shifted, 1)), -1, some);
}

Tensor find_in_memory(const Tensor& memory, const Tensor& key, const Tensor& strength) {
  check_rank("memory", memory);
  check_rank("key", key);
  const Index B = memory.size(0), W = memory.size(2), H = key.size(1);
  check_shape("key", key, {B, H, W}, memory);
  check_shape("strength", strength, {B, H, 1}, memory);
  const Tensor rows = normalize(memory, 2, -1, kEps);
  return softmax(strength * matmul(normalize(key, 2, -1, kEps), transpose(rows, 1, 2)), -1);
}

Tensor read_memory(const Tensor& memory, const Tensor& weights) {
  check_rank("memory", memory);
  check_rank("weights", weights);
  check_shape("weights", weights, {memory.size(0), weights.size(1), memory.size(1)}, memory);
  return matmul(weights, memory);
}

Tensor write_memory(const Tensor& memory, const Tensor& weights, const Tensor& erase,
                    const Tensor& add) {
  check_rank("memory", memory);
  check_rank("weights", weights);
  const Index B = memory.size(0), N = memory.size(1), W = memory.size(2), H = weights.size(1);
  check_shape("weights", weights, {B, H, N}, memory);
  check_shape("erase", erase, {B, H, W}, memory);
  check_shape("add", add, {B, H, W}, memory);
  Tensor kept = memory;
  for (Index h = 0; h < H; ++h) {
    const Tensor share = transpose(narrow(weights, 1, h, 1), 1, 2);  // [B, N, 1]
    kept = kept * (1 - share * narrow(erase, 1, h, 1));
  }
  return kept + matmul(transpose(weights, 1, 2), add);
}

TuringMachine::TuringMachine(const TuringMachineOptions& options)
    : options_(checked(options)),
      controller(options.recurrent
                     ? static_cast<nn::Module&>(
                           child<nn::LSTMCell>("controller", read_width(options) + options.input,
                                               options.hidden, true, options.dtype))
                     : child<nn::Linear>("controller", read_width(options) + options.input,
                                         options.hidden, true, options.dtype)),
      heads(child<nn::Linear>("heads", options.hidden,
                              head_count(options) * signal_width(options) +
                                  2 * Checked(kName, options.write_heads) * options.slot_width,
                              true, options.dtype)),
      out(child<nn::Linear>("out", read_width(options) + options.hidden, options.output, true,
                            options.dtype)),
      start(parameter("start", zeros({head_count(options), options.slots}, options.dtype))),
      first_reads(parameter("first_reads", zeros({read_width(options)}, options.dtype))) {
  // Nineteen parts in twenty on slot 0, however many there are.
  Tensor at_first = narrow(start.detach(), 1, 0, 1);
  at_first.copy_from(
      full(at_first.shape(), std::log(static_cast<double>(options.slots)) + 3, options.dtype));
}

TuringState TuringMachine::begin(Index batch) const {
  const Scope scope(*this, Scope::unhooked);
  if (batch < 0) throw ShapeError(fmt::format("{}: a batch of {}", kName, batch));
  const TuringMachineOptions& o = options_;
  TuringState state;
  state.memory = full({batch, o.slots, o.slot_width}, kMemory, start.dtype());
  state.weights = expand(unsqueeze(softmax(start, -1), 0), {batch, head_count(o), o.slots});
  state.reads = expand(unsqueeze(first_reads, 0), {batch, first_reads.size(0)});
  if (o.recurrent) {
    const Tensor none = zeros({batch, o.hidden}, start.dtype());
    state.controller = {none, none};
  }
  return state;
}

Tensor TuringMachine::step(const Tensor& x, TuringState& state) const {
  const Scope scope(*this);
  const TuringMachineOptions& o = options_;
  const Index B = state.memory.defined() ? state.memory.size(0) : 0;
  const Index H = head_count(o), W = o.slot_width;
  check_rank("the state's memory", state.memory);
  check_shape("the state's reads", state.reads, {B, o.read_heads * W}, state.memory);
  check_shape("a step's x", x, {B, o.input}, state.memory);
  Tensor h = concat({x, state.reads}, -1);
  if (o.recurrent) {
    state.controller =
        named(kName, [&] { return static_cast<nn::LSTMCell&>(controller)(h, state.controller); });
    h = state.controller.h;
  } else {
    h = tanh(named(kName, [&] { return static_cast<nn::Linear&>(controller)(h); }));
  }
  const Tensor said = heads(h);
  const Index width = signal_width(o);
  const auto parts = split(reshape(narrow(said, -1, 0, H * width), {B, H, width}),
                           {W, 1, 1, 1, 2 * o.reach + 1}, -1);
  const HeadSignals signals{.key = tanh(parts[0]),
                            .strength = softplus(parts[1]),
                            .gate = sigmoid(parts[2]),
                            .shift = softmax(parts[4], -1),
                            .sharpen = 1 + softplus(parts[3])};
  const Tensor changes =
      reshape(narrow(said, -1, H * width, 2 * o.write_heads * W), {B, 2 * o.write_heads, W});
  state.weights = address_memory(state.memory, state.weights, signals);
  state.memory = write_memory(state.memory, narrow(state.weights, 1, o.read_heads, o.write_heads),
                              sigmoid(narrow(changes, 1, 0, o.write_heads)),
                              tanh(narrow(changes, 1, o.write_heads, o.write_heads)));
  state.reads = reshape(read_memory(state.memory, narrow(state.weights, 1, 0, o.read_heads)),
                        {B, o.read_heads * W});
  return out(concat({h, state.reads}, -1));
}

TuringMachineOutput TuringMachine::operator()(const Tensor& x, const std::vector<Index>& lengths,
                                              bool need_weights) const {
  const Scope scope(*this);
  check_rank("x", x);
  const TuringMachineOptions& o = options_;
  const Index B = x.size(0), T = x.size(1);
  check_shape("x", x, {B, T, o.input}, start);
  const MaskedSequence read = masked_sequence(kName, "x", x, lengths);
  TuringState state = begin(B);
  std::vector<Tensor> outputs, weights;
  for (Index t = 0; t < T; ++t) {
    outputs.push_back(step(select(read.x, 1, t), state));
    if (need_weights) weights.push_back(state.weights);
  }
  TuringMachineOutput result;
  result.output = T == 0 ? zeros({B, 0, o.output}, x.dtype()) : stack(outputs, 1);
  if (need_weights) {
    result.weights = T == 0 ? zeros({B, 0, head_count(o), o.slots}, x.dtype()) : stack(weights, 1);
  }
  result.output = forwarded(zero_elsewhere(result.output, read.real));
  if (need_weights) result.weights = zero_elsewhere(result.weights, read.real);
  return result;
}

}  // namespace heed::attention
