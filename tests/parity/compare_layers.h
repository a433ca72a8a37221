// A layer of ours beside that of torch::nn: the same parameters and buffers by name, order and
// layout; with the same numbers in them the same results, and the same gradients of inputs and
// parameters, and the same buffers afterwards.
#pragma once

#include "../../nn/module.h"
#include "parity.h"

namespace heed::parity {

using Shapes = std::vector<std::vector<Index>>;
using OurCall = std::function<Tensor(H)>;
using TheirCall = std::function<torch::Tensor(T)>;

/// Loads their state into ours, then compares a call, in f64. `shapes`: of the inputs that get
/// gradients.
void compare(nn::Module& ours, torch::nn::Module& theirs, const Shapes& shapes,
             const OurCall& our_call, const TheirCall& their_call);

/// Layers of one or two tensors, loss layers among them.
template <class Ours, class Holder>
void unary(Ours&& ours, Holder theirs, const std::vector<Index>& shape) {
  compare(
      ours, *theirs, {shape}, [&](H x) { return ours(x[0]); },
      [&](T x) { return theirs->forward(x[0]); });
}
template <class Ours, class Holder>
void binary(Ours&& ours, Holder theirs, const Shapes& shapes) {
  compare(
      ours, *theirs, shapes, [&](H x) { return ours(x[0], x[1]); },
      [&](T x) { return theirs->forward(x[0], x[1]); });
}
template <class Ours, class Holder>
void with_targets(Ours&& ours, Holder theirs, const std::vector<Index>& shape,
                  const std::vector<std::int64_t>& targets) {
  const auto n = static_cast<Index>(targets.size());
  compare(
      ours, *theirs, {shape}, [&](H x) { return ours(x[0], ids(targets, {n})); },
      [&](T x) { return theirs->forward(x[0], torch_ids(targets, {n})); });
}

}  // namespace heed::parity
