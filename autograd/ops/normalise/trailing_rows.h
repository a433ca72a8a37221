// The rows of layer_norm and rms_norm: all trailing axes that normalized_shape names.
#pragma once

#include "standardize.h"

namespace heed {

/// Throws ShapeError unless x's trailing sizes are `normalized_shape`, at least one; DTypeError.
Standardization trailing_rows(Op op, const Tensor& x, const Shape& normalized_shape, double eps,
                              bool centred);

}  // namespace heed
