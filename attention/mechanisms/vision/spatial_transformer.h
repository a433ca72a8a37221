// The spatial transformer (Jaderberg et al. 2015): a map is read through a window that the network
// itself places, turns and stretches.
//
//   theta = f_loc(features)                                          a localisation network's last layer
//   places = theta (across, down, 1) of each place of the output     eq. 1: affine_grid()
//   y = the map at these places, bilinearly                          eq. 5: grid_sample()
//
// map [B, C, H, W], features [B, F] -> output [B, C, OH, OW], theta [B, 2, 3]. With `attention`
// theta is a scale and a shift alone, [s 0 x; 0 s y] (eq. 2). It begins as the identity. What comes
// before features is the user's: a network that reads the same map, or anything else. O(B C OH OW).
#pragma once

#include "../../../autograd/ops/index/grid_sample.h"
#include "../../../nn/linear.h"

namespace heed::attention {

enum class SpatialTransform : std::uint8_t { affine, attention };

struct SpatialTransformerOptions {
  Index features = 0;           ///< F
  Index height = 0, width = 0;  ///< OH, OW
  SpatialTransform kind = SpatialTransform::affine;
  GridPadding padding = GridPadding::zeros;
  DType dtype = DType::f32;
};

struct SpatiallyTransformed {
  Tensor output;  ///< [B, C, OH, OW]
  Tensor theta;   ///< [B, 2, 3]
};

class SpatialTransformer : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit SpatialTransformer(const SpatialTransformerOptions& options);

  nn::Linear& localisation;  ///< [6, F], or of `attention` (s, x, y) [3, F]; zeros at first

  /// Throws ShapeError, DTypeError.
  SpatiallyTransformed operator()(const Tensor& map, const Tensor& features) const;

 private:
  SpatialTransformerOptions options_;
};

}  // namespace heed::attention
