// Images read at places between their pixels, and the places of an affine map (Jaderberg et al.
// 2015, "Spatial Transformer Networks", eqs. 1 and 5).
//
//   x [B, C, H, W], grid [B, OH, OW, 2] -> y [B, C, OH, OW]
//   y[b, :, i, j] = x[b, :, v, u] at the place (u, v) that grid[b, i, j] = (across, down) names
//
// -1 and 1 are the image's edges: u = ((across + 1) W - 1) / 2; with align_corners the middles of
// its first and last pixel: u = (across + 1) (W - 1) / 2. Of a place between pixels
//
//   linear:   the four around it, weighed by (1 - |u - pixel|) (1 - |v - pixel|)
//   nearest:  the one that is, and of two the even one; the grid then gets no gradient
//
// PyTorch's grid_sample and affine_grid. O(B C OH OW) and one copy of x.
#pragma once

#include "../../tensor.h"
#include "../conv/interpolate.h"

namespace heed {

/// What stands outside of an image: zeros, or what its edge has.
enum class GridPadding : std::uint8_t { zeros, border };

struct GridSampleOptions {
  Interpolation mode = Interpolation::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;
};

/// f32 and f64, both of one dtype. However far away a place is, infinitely too, nothing is read but
/// the image; a place that is NaN gives NaN, with zero gradients. With GridPadding::border a place
/// that lies beyond the middles of the outermost pixels, or on one, moves nothing: its part of the
/// grid gets no gradient. Throws ShapeError, also for images without pixels, DTypeError.
Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleOptions& options = {});

/// theta [B, 2, 3] -> grid [B, H, W, 2]: theta (across, down, 1) for each pixel of an image
/// [H, W], from -1 to 1 as above. Throws ShapeError, DTypeError, ValueError unless H and W are
/// positive.
Tensor affine_grid(const Tensor& theta, Index H, Index W, bool align_corners = false);

}  // namespace heed
