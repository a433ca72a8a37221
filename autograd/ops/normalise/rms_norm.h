// Root mean square normalisation (Zhang & Sennrich 2019): y = x / sqrt(mean(x^2) + eps) weight, the
// mean over the trailing axes; layer_norm without taking off the mean and without bias.
#pragma once

#include "../../tensor.h"

namespace heed {

/// `normalized_shape`: the sizes of the trailing axes that make a row, at least one; weight, where
/// given, is of that shape and of x's dtype; f32 and f64. Throws ShapeError, DTypeError, ValueError
/// for a negative eps.
Tensor rms_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight = Tensor(),
                double eps = 1e-6);

/// The definition, in plain operators.
Tensor rms_norm_plain(const Tensor& x, const Shape& normalized_shape,
                      const Tensor& weight = Tensor(), double eps = 1e-6);

}  // namespace heed
