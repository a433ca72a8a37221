// Another size of the axes behind batch and channels: x [B, C, L] or [B, C, H, W] -> [B, C, ..].
//
//   nearest:  y[i] = x[floor(i / scale)]
//   linear:   y[i] = (1 - w) x[floor(p)] + w x[floor(p) + 1],  w = p - floor(p)
//             p = (i + 0.5) / scale - 0.5, not below 0; with align_corners p = i (in - 1) / (out - 1)
//
// with scale = out / in, or the one given. Linear of two axes is bilinear, one axis after the
// other.
#pragma once

#include <optional>

#include "../../tensor.h"
#include "per_axis.h"

namespace heed {

enum class Interpolation : std::uint8_t { nearest, linear };

struct InterpolateOptions {
  std::optional<PerAxis> size = {};  ///< of the result; of [B, C, L] its x; or
  double scale = 0;               ///< of both axes: the result has floor(in scale) places
  Interpolation mode = Interpolation::nearest;
  bool align_corners = false;  ///< of linear: the ends meet the ends
};

/// f32 and f64. Throws ValueError unless one of size and scale is given, and positive, and for
/// align_corners of nearest; ShapeError for other ranks, axes without places, and more numbers than
/// an index has.
Tensor interpolate(const Tensor& x, const InterpolateOptions& options);

}  // namespace heed
