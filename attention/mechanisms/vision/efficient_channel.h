// Efficient channel attention (Wang et al. 2020, "ECA-Net"): squeeze and excitation without its
// bottleneck. A channel is weighed by its neighbours' means alone, by k numbers in all.
//
//   z_c = mean over places of x_c
//   s = sigmoid(w * z)                                 a convolution over channels, eqs. 7 and 8
//   k = |log2(C) / gamma + b / gamma|, made odd        eq. 12: gamma 2, b 1
//
// map [B, C, H, W] -> context [B, C, H, W], weights s [B, C]. O(B C (H W + k)).
#pragma once

#include "../../../nn/conv.h"
#include "../../terms.h"

namespace heed::attention {

class EfficientChannelAttention : public nn::Module {
 public:
  /// Without a kernel, the paper's for so many channels. Throws ValueError unless there are
  /// channels, and for a kernel that is negative or even.
  explicit EfficientChannelAttention(Index channels, Index kernel = 0, DType dtype = DType::f32);

  nn::Conv1d& conv;  ///< [1, 1, k], without bias

  /// Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& map, bool need_weights = false) const;

  /// The paper's k.
  static Index kernel_for(Index channels);

 private:
  Index channels_;
};

}  // namespace heed::attention
