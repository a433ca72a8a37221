// Squeeze and excitation (Hu et al. 2018, "Squeeze-and-Excitation Networks"): channels are weighed
// by what the whole map says.
//
//   z_c = mean over places of x_c                      squeeze, eq. 2
//   s = sigmoid(W2 relu(W1 z + b1) + b2)               excitation, eq. 3
//   y_c = s_c x_c                                      eq. 4
//
// map [B, C, H, W] -> context [B, C, H, W], weights s [B, C]. The bottleneck has C / r units.
// O(B C H W), and 2 C^2 / r parameters.
#pragma once

#include "../../../nn/linear.h"
#include "../../terms.h"

namespace heed::attention {

class SqueezeExcitation : public nn::Module {
 public:
  /// Throws ValueError unless 1 <= reduction <= channels.
  explicit SqueezeExcitation(Index channels, Index reduction = 16, DType dtype = DType::f32);

  nn::Linear& fc1;  ///< [C / r, C]
  nn::Linear& fc2;  ///< [C, C / r]

  /// Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& map, bool need_weights = false) const;
};

/// C / reduction. Throws ValueError, in `op`'s name, unless 1 <= reduction <= channels.
Index bottleneck(const char* op, Index channels, Index reduction);

}  // namespace heed::attention
