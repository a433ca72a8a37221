// The weights of classes that a loss layer keeps. Internal.
#pragma once

#include "../autograd/tensor.h"

namespace heed::nn::detail {

/// A copy off the tape; undefined stays undefined. Throws ValueError, in the layer's name, unless
/// it has rank 1, and DTypeError unless it is f32 or f64.
Tensor class_weights(const char* layer, const Tensor& weight);

}  // namespace heed::nn::detail
