// softmax and its logarithm over one axis; f32 and f64.
#pragma once

#include "../../tensor.h"

namespace heed {

/// exp(x) / sum exp(x) along `axis`. Where `mask` (bool, broadcasts to x) is false a place takes no
/// part and gets 0, whatever stands there, NaN included; a row without any true is all zeros, with
/// zero gradients. Throws ShapeError, DTypeError.
Tensor softmax(const Tensor& x, Index axis, const Tensor& mask = Tensor());

/// log(softmax(x)), without loss for small values. In both, a place of probability 0 exactly (x is
/// -infinity there, say) takes no part in the gradients either, whatever comes back to it; PyTorch
/// lets log_softmax pass on what comes.
Tensor log_softmax(const Tensor& x, Index axis);

}  // namespace heed
