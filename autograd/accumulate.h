// Sums of gradients: within a pass, and over passes in what a tensor has gathered.
#pragma once

#include <mutex>

#include "tensor.h"

namespace heed {

/// into += gradient, in place where nothing is recorded and nobody else looks.
void accumulate(Tensor& into, Tensor gradient);

/// Adds to what a tensor has gathered over passes; several may do so at once.
void add_to_grad(TensorImpl& impl, Tensor gradient);

/// Held while that is done, and while OutputSlot::retained is written. Recursive: a gradient that
/// goes may take a graph along, and with it tensors that retained theirs.
std::recursive_mutex& grad_mutex();

}  // namespace heed
