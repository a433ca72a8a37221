// The engine. It walks the tape from the outputs back, the newest operator first; sums gradients
// over broadcast axes, accumulates, skips inputs that need none, checks each gradient's shape and
// dtype, frees what was saved as soon as it was used. It walks with a queue: depth costs no stack.
#pragma once

#include <functional>
#include <vector>

#include "tensor.h"

namespace heed {

/// Adds into grad() of every leaf, after the walk: what throws in the walk leaves leaves as they
/// were. A leaf that was frozen since gets nothing. Where memory runs out after the walk, some have
/// their sum and others not: zero_grad().
/// `gradients` may be shorter than `outputs` or hold undefined tensors where an output has one
/// element: 1 is taken. Throws GradError, ShapeError, DTypeError.
void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients = {},
              const BackwardOptions& options = {});

/// Hears of a leaf and of what a pass adds to its grad(), hooks done.
using LeafListener = std::function<void(const Tensor& leaf, const Tensor& gradient)>;
/// As backward(), and tells of each leaf once, as soon as nothing more is added to it, while the
/// walk goes on: for gradients that travel meanwhile. It may not start a pass of its own.
void backward_and_tell(const std::vector<Tensor>& outputs, const LeafListener& leaf_is_done);

/// The gradients of `inputs` (leaves or results), leaving every grad() alone. Undefined for an
/// input that the outputs do not depend on. Only operators between outputs and inputs are walked:
/// hooks beside these and below the inputs are not called, and what was saved there stays. Throws
/// GradError when an input does not require a gradient.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients = {},
                         const BackwardOptions& options = {});
inline std::vector<Tensor> grad(const std::vector<Tensor>& outputs,
                                const std::vector<Tensor>& inputs,
                                const std::vector<Tensor>& gradients, bool retain_graph,
                                bool create_graph = false) {
  return grad(outputs, inputs, gradients, BackwardOptions{retain_graph, create_graph});
}

}  // namespace heed
