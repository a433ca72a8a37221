#include "neural_computer.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/index/sort.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "turing_machine.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "NeuralComputer";
constexpr double kMemory = 1e-6;  // every number of a new memory

const NeuralComputerOptions& checked(const NeuralComputerOptions& o) {
  if (o.input > 0 && o.output > 0 && o.hidden > 0 && o.slots > 0 && o.slot_width > 0 &&
      o.read_heads > 0) {
    return o;
  }
  throw ValueError(
      fmt::format("{}: input {}, output {}, hidden {}, slots {}, slot_width {} and read_heads {} "
                  "must be positive",
                  kName, o.input, o.output, o.hidden, o.slots, o.slot_width, o.read_heads));
}

Checked read_width(const NeuralComputerOptions& o) {
  return Checked(kName, o.read_heads) * o.slot_width;
}

void check_shape(const char* what, const Tensor& x, const Shape& shape, DType dtype) {
  check_defined(kName, x, what);
  if (x.shape() != shape) {
    throw ShapeError(
        fmt::format("{}: {} must be {}, not {}", kName, what, heed::to_string(shape), describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(
        fmt::format("{}: {} must be {}, not {}", kName, what, name(dtype), describe(x)));
  }
}

}  // namespace

Tensor allocate_memory(const Tensor& usage) {
  check_defined(kName, usage, "usage");
  if (usage.rank() != 2) {
    throw ShapeError(fmt::format("{}: usage must be [B, N], not {}", kName, describe(usage)));
  }
  const Index B = usage.size(0), N = usage.size(1);
  const Picked sorted = sort(usage, -1);
  const Tensor before = concat(
      {ones(Shape{B, 1}, usage.dtype()), narrow(cumprod(sorted.values, -1), 1, 0, N - 1)}, 1);
  return scatter_add(zeros(usage.shape(), usage.dtype()), 1, sorted.indices,
                     (1 - sorted.values) * before);
}

Tensor link_memory(const Tensor& links, const Tensor& w, const Tensor& precedence) {
  check_defined(kName, links, "links");
  check_defined(kName, w, "write weights");
  const Shape places = w.shape();
  check_shape("precedence", precedence, places, w.dtype());
  if (places.rank() != 2) {
    throw ShapeError(fmt::format("{}: write weights must be [B, N], not {}", kName, describe(w)));
  }
  check_shape("links", links, Shape{places[0], places[1], places[1]}, w.dtype());
  const Tensor to = unsqueeze(w, 2), from = unsqueeze(w, 1);
  const Tensor out = (1 - to - from) * links + to * unsqueeze(precedence, 1);
  return out * (1 - eye(places[1], places[1], w.dtype()));
}

NeuralComputer::NeuralComputer(const NeuralComputerOptions& o)
    : options_(checked(o)),
      controller(
          child<nn::LSTMCell>("controller", read_width(o) + o.input, o.hidden, true, o.dtype)),
      interface(child<nn::Linear>(
          "interface", o.hidden,
          read_width(o) + 5 * Checked(kName, o.read_heads) + 3 * Checked(kName, o.slot_width) + 3,
          true, o.dtype)),
      out(child<nn::Linear>("out", read_width(o) + o.hidden, o.output, true, o.dtype)) {}

NeuralComputerState NeuralComputer::begin(Index batch) const {
  const Scope scope(*this, Scope::unhooked);
  if (batch < 0) throw ShapeError(fmt::format("{}: a batch of {}", kName, batch));
  const NeuralComputerOptions& o = options_;
  const DType dtype = out.weight.dtype();
  const Tensor slots = zeros({batch, o.slots}, dtype), none = zeros({batch, o.hidden}, dtype);
  return {.memory = full({batch, o.slots, o.slot_width}, kMemory, dtype),
          .usage = slots,
          .written = slots,
          .precedence = slots,
          .links = zeros({batch, o.slots, o.slots}, dtype),
          .weights = zeros({batch, o.read_heads, o.slots}, dtype),
          .reads = zeros({batch, read_width(o)}, dtype),
          .controller = {none, none}};
}

Tensor NeuralComputer::step(const Tensor& x, NeuralComputerState& s) const {
  const Scope scope(*this);
  const NeuralComputerOptions& o = options_;
  check_defined(kName, s.memory, "the state's memory");
  const Index B = s.memory.size(0), R = o.read_heads, W = o.slot_width;
  check_shape("a step's x", x, {B, o.input}, out.weight.dtype());
  s.controller = named(kName, [&] { return controller(concat({x, s.reads}, -1), s.controller); });
  const Tensor& h = s.controller.h;
  const auto said = split(interface(h), {R * W, R, W, 1, W, W, R, 1, 1, 3 * R}, -1);
  const auto found = [&](const Tensor& keys, const Tensor& strengths) {
    return find_in_memory(s.memory, keys, 1 + softplus(strengths));
  };
  const Tensor erase = unsqueeze(sigmoid(said[4]), 1), add = unsqueeze(said[5], 1);
  const Tensor free = unsqueeze(sigmoid(said[6]), 2);  // [B, R, 1]
  const Tensor allocation_gate = sigmoid(said[7]), write_gate = sigmoid(said[8]);
  const Tensor modes = softmax(reshape(said[9], {B, R, 3}), -1);

  Tensor kept = 1 - free * s.weights;  // [B, R, N]
  Tensor retention = select(kept, 1, 0);
  for (Index i = 1; i < R; ++i) retention = retention * select(kept, 1, i);
  s.usage = (s.usage + s.written - s.usage * s.written) * retention;
  const Tensor content = squeeze(found(unsqueeze(said[2], 1), unsqueeze(said[3], 1)), 1);
  s.written = write_gate * lerp(content, allocate_memory(s.usage), allocation_gate);
  s.memory = write_memory(s.memory, unsqueeze(s.written, 1), erase, add);

  s.links = link_memory(s.links, s.written, s.precedence);
  s.precedence = (1 - sum(s.written, {1}, true)) * s.precedence + s.written;
  const Tensor forwards = matmul(s.weights, transpose(s.links, 1, 2));
  const Tensor backwards = matmul(s.weights, s.links);
  s.weights = narrow(modes, 2, 0, 1) * backwards +
              narrow(modes, 2, 1, 1) * found(reshape(said[0], {B, R, W}), unsqueeze(said[1], 2)) +
              narrow(modes, 2, 2, 1) * forwards;
  s.reads = reshape(read_memory(s.memory, s.weights), {B, R * W});
  return out(concat({h, s.reads}, -1));
}

NeuralComputerOutput NeuralComputer::operator()(const Tensor& x, const std::vector<Index>& lengths,
                                                bool need_weights) const {
  const Scope scope(*this);
  const NeuralComputerOptions& o = options_;
  check_defined(kName, x, "x");
  if (x.rank() != 3) {
    throw ShapeError(fmt::format("{}: x must be [B, T, {}], not {}", kName, o.input, describe(x)));
  }
  const Index B = x.size(0), T = x.size(1);
  check_shape("x", x, {B, T, o.input}, out.weight.dtype());
  const MaskedSequence read = masked_sequence(kName, "x", x, lengths);
  NeuralComputerState state = begin(B);
  std::vector<Tensor> outputs, weights;
  for (Index t = 0; t < T; ++t) {
    outputs.push_back(step(select(read.x, 1, t), state));
    if (need_weights) weights.push_back(state.weights);
  }
  NeuralComputerOutput result;
  result.output = T == 0 ? zeros({B, 0, o.output}, x.dtype()) : stack(outputs, 1);
  result.output = forwarded(zero_elsewhere(result.output, read.real));
  if (need_weights) {
    result.weights = T == 0 ? zeros({B, 0, o.read_heads, o.slots}, x.dtype()) : stack(weights, 1);
    result.weights = zero_elsewhere(result.weights, read.real);
  }
  return result;
}

}  // namespace heed::attention
