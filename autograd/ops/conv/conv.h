// Convolutions (cross-correlations, as everywhere in deep learning), layouts as in PyTorch:
//
//   out[b][o][i] = bias[o] + sum over c, k of weight[o][c][k] x[b][c'][i stride - padding + k
//   dilation]
//
// where what lies outside of x is 0. Channels are cut into `groups`: an output channel of group n
// sees the input channels c' = n C / groups + c of its own group. f32 and f64, one dtype
// (DTypeError).
#pragma once

#include "../../tensor.h"
#include "per_axis.h"

namespace heed {

struct Conv1dOptions {
  Index stride = 1;
  Index padding = 0;
  Index dilation = 1;
  Index groups = 1;
  bool same =
      false;  ///< pads so that the result is as long as x (an odd place at the end); stride 1
};

struct Conv2dOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis dilation = 1;
  Index groups = 1;
  bool same = false;
};

/// x [B, C, L] or [C, L], weight [O, C / groups, K], bias [O] or undefined -> [B, O, L'] or [O,
/// L'], L' = (L + 2 padding - dilation (K - 1) - 1) / stride + 1. Throws ShapeError where sizes do
/// not fit, ValueError for options that make no sense.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
              const Conv1dOptions& options = {});

/// x [B, C, H, W] or [C, H, W], weight [O, C / groups, KH, KW] -> [B, O, H', W'] or [O, H', W'].
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
              const Conv2dOptions& options = {});

/// The gradient of conv2d's x, which has the shape `x` [B, C, H, W], from that of its result: also
/// known as transposed convolution. As torch.nn.grad.conv2d_input.
Tensor conv2d_input_grad(const Shape& x, const Tensor& weight, const Tensor& g,
                         const Conv2dOptions& options = {});

/// The gradient of conv2d's weight, which has the shape `weight`. As torch.nn.grad.conv2d_weight.
Tensor conv2d_weight_grad(const Tensor& x, const Shape& weight, const Tensor& g,
                          const Conv2dOptions& options = {});

/// conv2d of a batch from plain operators, one product for each tap of the kernel: what the fused
/// one is tested against.
Tensor conv2d_plain(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
                    const Conv2dOptions& options = {});

}  // namespace heed
