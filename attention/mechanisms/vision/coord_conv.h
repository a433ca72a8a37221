// CoordConv (Liu et al. 2018, "An Intriguing Failing of Convolutional Neural Networks and the
// CoordConv Solution"): a convolution that is told where it is.
//
//   y = f * [x; i; j] or f * [x; i; j; r]
//
// i counts rows and j columns, from -1 to 1; r = sqrt((i - 1/2)^2 + (j - 1/2)^2), as in the
// authors' code. map [B, C, H, W] -> [B, O, H', W']. The cost of two or three channels more.
#pragma once

#include "../../../nn/conv.h"

namespace heed::attention {

/// [B, C, H, W] -> [B, C + 2 (or 3), H, W]; an axis of one place is at 0. Throws ShapeError,
/// DTypeError.
Tensor with_coordinates(const Tensor& map, bool radius = false);

class CoordConv : public nn::Module {
 public:
  /// Throws ValueError as nn::Conv2d.
  CoordConv(Index in, Index out, PerAxis kernel, const Conv2dOptions& options = {},
            bool radius = false, DType dtype = DType::f32);

  nn::Conv2d& conv;  ///< [out, in + 2 (or 3), kernel]

  /// Throws ShapeError, DTypeError.
  Tensor operator()(const Tensor& map) const;

 private:
  Index in_;
  bool radius_;
};

}  // namespace heed::attention
