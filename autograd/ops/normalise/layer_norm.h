// Layer normalisation (Ba, Kiros & Hinton 2016): each row of the trailing axes made to have mean 0
// and variance 1, y = (x - mean) / sqrt(variance + eps) weight + bias.
#pragma once

#include "../../tensor.h"

namespace heed {

/// `normalized_shape`: the sizes of the trailing axes that make a row, at least one; weight and
/// bias, where given, are of that shape and of x's dtype; f32 and f64. Throws ShapeError,
/// DTypeError, ValueError for a negative eps.
Tensor layer_norm(const Tensor& x, const Shape& normalized_shape, const Tensor& weight = Tensor(),
                  const Tensor& bias = Tensor(), double eps = 1e-5);

/// The definition, in plain operators.
Tensor layer_norm_plain(const Tensor& x, const Shape& normalized_shape,
                        const Tensor& weight = Tensor(), const Tensor& bias = Tensor(),
                        double eps = 1e-5);

}  // namespace heed
