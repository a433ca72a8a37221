// Convolution over depth, height and width, layouts as in PyTorch: conv.h's formula with one more
// axis.
//
// Composed of conv2d(): what the kernel's taps along the depth read stands beside one another in
// the channels of a plane, [B D', C KD, H, W], so that one product sums over all three axes. That
// is KD copies of x.
#pragma once

#include "../../tensor.h"

namespace heed {

/// One number for each of three axes, or the same for all: `.stride = 2`, `.padding = {1, 0, 3}`.
struct Triple {
  Index z, y, x;  ///< depth, down (height), along (width)
  constexpr Triple(Index all) : z(all), y(all), x(all) {}
  constexpr Triple(Index deep, Index down, Index along) : z(deep), y(down), x(along) {}
};

struct Conv3dOptions {
  Triple stride = 1;
  Triple padding = 0;
  Triple dilation = 1;
  Index groups = 1;
  bool same = false;  ///< as of Conv1dOptions
};

/// x [B, C, D, H, W] or [C, D, H, W], weight [O, C / groups, KD, KH, KW], bias [O] or undefined ->
/// [B, O, D', H', W'] or [O, D', H', W'], lengths as of conv1d(). f32 and f64, one dtype
/// (DTypeError). Throws ShapeError where sizes do not fit, ValueError for options that make no
/// sense.
Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
              const Conv3dOptions& options = {});

}  // namespace heed
