// Transposed convolutions: the gradient of a convolution by its input, as a layer that makes planes
// larger. Layouts as in PyTorch; along each axis
//
//   out = (in - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1
//
// f32 and f64, one dtype (DTypeError). Composed of conv2d_input_grad().
#pragma once

#include "../../tensor.h"
#include "per_axis.h"

namespace heed {

struct ConvTranspose1dOptions {
  Index stride = 1;
  Index padding = 0;         ///< so many places go at either end
  Index output_padding = 0;  ///< so many are added at one end; below stride or dilation
  Index dilation = 1;
  Index groups = 1;
};

struct ConvTranspose2dOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis output_padding = 0;
  PerAxis dilation = 1;
  Index groups = 1;
};

/// x [B, C, L] or [C, L], weight [C, O / groups, K], bias [O] or undefined -> [B, O, L'] or [O,
/// L']. Throws ShapeError where sizes do not fit, ValueError for options that make no sense.
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
                        const ConvTranspose1dOptions& options = {});
/// x [B, C, H, W] or [C, H, W], weight [C, O / groups, KH, KW] -> [B, O, H', W'] or [O, H', W'].
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
                        const ConvTranspose2dOptions& options = {});

}  // namespace heed
