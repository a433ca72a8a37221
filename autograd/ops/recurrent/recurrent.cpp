#include "recurrent.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/kernels/rnn/rnn.h"
#include "../../../core/precision.h"
#include "../../../core/traced.h"
#include "../../backward.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../shape/shape.h"
#include "recurrent_plain.h"

namespace heed::detail {
namespace {

void check_one(const char* op, const char* what, const Tensor& tensor, const Shape& shape,
               const Tensor& x) {
  if (!(tensor.shape() == shape)) {
    throw ShapeError(fmt::format("{}: {} must be {} for x {}, not {}", op, what, to_string(shape),
                                 describe(x), describe(tensor)));
  }
  if (tensor.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("{}: {} is {} for x {}", op, what, describe(tensor), describe(x)));
  }
}

Op op_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::tanh:
    case RnnCell::relu: break;
    case RnnCell::gru: return Op::gru;
    case RnnCell::lstm: return Op::lstm;
  }
  return Op::rnn;
}

// The inputs of the operator as one list: x, h0, c0, then each direction's four.
std::vector<InputRef> listed(const Tensor& x, const RnnStart& start,
                             const std::vector<RnnWeights>& directions) {
  std::vector<InputRef> inputs = {x, start.h, start.c};
  for (const RnnWeights& w : directions) {
    inputs.insert(inputs.end(), {w.w_ih, w.w_hh, w.b_ih, w.b_hh});
  }
  return inputs;
}
constexpr std::size_t kFirstWeight = 3;

// The directions' weights, as `Weights` of tensors or of arrays, from such a list.
template <class Weights, class Item>
std::vector<Weights> unlisted(const std::vector<Item>& inputs) {
  std::vector<Weights> directions;
  for (std::size_t i = kFirstWeight; i < inputs.size(); i += 4) {
    directions.push_back({inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]});
  }
  return directions;
}

Array array_of(const Tensor& tensor) { return tensor.defined() ? tensor.array() : Array(); }

// For a pass that is recorded itself: the definition once more, and its gradients. Each input comes
// as a view of its own, so that one tensor in two places gets two gradients.
Gradients plain_gradients(RnnCell cell, const std::vector<Tensor>& inputs,
                          const Sequences& sequences, const Gradients& g,
                          const std::vector<bool>& needs) {
  const PrecisionScope scope(Precision::f32);  // the steps have it, and they are most of this
  std::vector<Tensor> views, wanted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    views.push_back(inputs[i].defined() ? reshape(inputs[i], inputs[i].shape()) : Tensor());
    if (needs[i]) wanted.push_back(views[i]);
  }
  const std::vector<Tensor> all =
      recurrent_plain(cell, views[0], {views[1], views[2]}, unlisted<RnnWeights>(views), sequences);
  std::vector<Tensor> outs, cotangents;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!g[i].defined() || !all[i].requires_grad()) continue;  // no steps: a constant
    outs.push_back(all[i]);
    cotangents.push_back(g[i]);
  }
  const std::vector<Tensor> found = grad(outs, wanted, cotangents, {.create_graph = true});
  Gradients to(inputs.size());
  for (std::size_t i = 0, next = 0; i < to.size(); ++i) {
    if (!needs[i]) continue;
    to[i] = found[next++];
    if (!to[i].defined()) to[i] = zeros(inputs[i].shape(), inputs[i].dtype());  // no steps
  }
  return to;
}

Gradients fused_gradients(const kernels::Rnn& kernel, const std::vector<Tensor>& inputs,
                          const kernels::Rnn::Result& result, const Gradients& g,
                          const std::vector<bool>& needs) {
  kernels::Rnn::Needs wanted{needs[0], needs[1], needs[2], {}};
  for (std::size_t i = kFirstWeight; i < needs.size(); i += 4) {
    wanted.weights.push_back({needs[i], needs[i + 1], needs[i + 2], needs[i + 3]});
  }
  const kernels::RnnStates g_last{array_of(g[1]), g.size() > 2 ? array_of(g[2]) : Array()};
  const kernels::Rnn::Gradients grads =
      kernel.backward(inputs[0].array(), {array_of(inputs[1]), array_of(inputs[2])}, result,
                      array_of(g[0]), g_last, wanted);
  Gradients to;
  const auto give = [&to](const Array& gradient) {
    to.push_back(gradient.defined() ? Tensor(gradient) : Tensor());
  };
  for (const Array& gradient : {grads.x, grads.start.h, grads.start.c}) give(gradient);
  for (const kernels::RnnWeights& w : grads.weights) {
    for (const Array& gradient : {w.w_ih, w.w_hh, w.b_ih, w.b_hh}) give(gradient);
  }
  return to;
}

}  // namespace

Index Sequences::batch(const Tensor& x) const {
  return offsets.empty() ? x.size(0) : static_cast<Index>(offsets.size()) - 1;
}

Sequences sequences_of(const char* op, const Packed& x) {
  check_offsets(op, x.offsets, x.tokens);
  return {.offsets = x.offsets};
}

const char* name_of(RnnCell cell) { return name(op_of(cell)); }

void check_weights(const char* op, RnnCell cell, const Tensor& x,
                   const std::vector<RnnWeights>& directions) {
  for (const RnnWeights& weights : directions) {
    check_defined(op, weights.w_ih, "w_ih", weights.w_hh, "w_hh");
  }
  const Index G = kernels::parts_of(cell).gates;
  const Tensor& w = directions[0].w_hh;
  if (w.rank() != 2 || w.size(1) == 0 || w.size(0) % G != 0 || w.size(0) / G != w.size(1)) {
    throw ShapeError(fmt::format("{}: w_hh must be [{}H, H] with H > 0, not {}", op,
                                 G == 1 ? "" : fmt::format("{} ", G), describe(w)));
  }
  const Index H = w.size(1);
  for (const RnnWeights& weights : directions) {
    check_one(op, "w_ih", weights.w_ih, Shape{G * H, x.size(-1)}, x);
    check_one(op, "w_hh", weights.w_hh, Shape{G * H, H}, x);
    if (weights.b_ih.defined()) check_one(op, "b_ih", weights.b_ih, Shape{G * H}, x);
    if (weights.b_hh.defined()) check_one(op, "b_hh", weights.b_hh, Shape{G * H}, x);
  }
}

void check_state(const char* op, const char* what, const Tensor& state, const Shape& shape,
                 const Tensor& x) {
  check_one(op, what, state, shape, x);
}

void check_recurrent(RnnCell cell, const Tensor& x, const RnnStart& start,
                     const std::vector<RnnWeights>& directions, const Sequences& sequences) {
  const char* const op = name_of(cell);
  check_defined(op, x, "x");
  const bool padded = sequences.offsets.empty();
  if (x.rank() != (padded ? 3 : 2)) {
    throw ShapeError(fmt::format("{}: {}, not {}", op,
                                 padded ? "x must be [B, T, I]" : "tokens must be [N, I]",
                                 describe(x)));
  }
  check_floating(op, x.dtype());
  if (directions.empty() || directions.size() > 2) {
    throw ValueError(fmt::format("{}: directions must be 1 or 2, not {}", op, directions.size()));
  }
  check_weights(op, cell, x, directions);
  const Shape states{static_cast<Index>(directions.size()), sequences.batch(x),
                     directions[0].w_hh.size(1)};
  if (start.h.defined()) check_one(op, "h0", start.h, states, x);
  if (start.c.defined()) check_one(op, "c0", start.c, states, x);
  if (padded) check_lengths(op, sequences.lengths, x);
}

std::vector<Tensor> recurrent(RnnCell cell, const Tensor& x, const RnnStart& start,
                              const std::vector<RnnWeights>& directions,
                              const Sequences& sequences) {
  check_recurrent(cell, x, start, directions, sequences);
  const std::vector<InputRef> inputs = listed(x, start, directions);
  std::vector<Saved> saved;
  std::vector<Array> arrays;
  for (const InputRef& input : inputs) {
    saved.emplace_back(*input);
    arrays.push_back(array_of(*input));
  }
  const auto weights = unlisted<kernels::RnnWeights>(arrays);
  const kernels::Rnn kernel =
      sequences.offsets.empty()
          ? kernels::Rnn(cell, x.size(0), x.size(1), sequences.lengths, weights)
          : kernels::Rnn(cell, sequences.offsets, weights);
  kernels::Rnn::Result result = kernel.forward(arrays[0], {arrays[1], arrays[2]});
  std::vector<Array> outs = {result.out, result.last.h};
  if (cell == RnnCell::lstm) outs.push_back(result.last.c);
  const auto rule = [cell, saved = std::move(saved), kernel, sequences,
                     out = SavedOutput(result.out), kept = std::move(result.kept)](
                        const Gradients& g, const std::vector<bool>& needs) {
    std::vector<Tensor> from;
    for (const Saved& input : saved) from.push_back(input());
    if (recording()) return plain_gradients(cell, from, sequences, g, needs);
    return fused_gradients(kernel, from, {out.array(), {}, kept}, g, needs);
  };
  say("relu", cell == RnnCell::relu, "packed", !sequences.offsets.empty());
  if (!sequences.lengths.empty()) say("lengths", Array::from(sequences.lengths));
  return record_joint(op_of(cell), outs, inputs, rule);
}

}  // namespace heed::detail
