// sparsemax over one axis (Martins & Astudillo 2016): the point of the probability simplex that is
// nearest to x. Unlike softmax's, its small probabilities are exactly 0.
#pragma once

#include "../../tensor.h"

namespace heed {

/// [x - tau]_+ along `axis`, with tau such that it sums to 1; f32 and f64. `mask` as in softmax():
/// masked places get 0, a row masked whole is all zeros. Where a place is about to enter the
/// support its gradient is 0. Throws ShapeError, DTypeError.
Tensor sparsemax(const Tensor& x, Index axis, const Tensor& mask = Tensor());

}  // namespace heed
