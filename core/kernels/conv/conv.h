// Convolutions of Arrays as matrix products over panels of columns (im2col.h): a panel is some
// places of one image, or several whole small images, cut from the shape alone, so that results are
// the same bits for any number of threads. f32 and f64, any strides; sizes are the caller's to
// check.
#pragma once

#include "../../array.h"
#include "im2col.h"

namespace heed::kernels {

/// x [B, C, H, W], weight [O, C / groups, KH, KW], bias [O] or undefined -> [B, O, OH, OW].
Array conv(const ConvShape& shape, const Array& x, const Array& weight, const Array& bias);

/// The gradient of x from g [B, O, OH, OW]: also the transposed convolution of g.
Array conv_input_grad(const ConvShape& shape, const Array& g, const Array& weight);

/// The gradient of weight.
Array conv_weight_grad(const ConvShape& shape, const Array& g, const Array& x);

}  // namespace heed::kernels
