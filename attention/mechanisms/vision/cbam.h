// The convolutional block attention module (Woo et al. 2018, "CBAM"): first which channels, then
// which places.
//
//   M_c(x) = sigmoid(MLP(mean over places of x) + MLP(largest over places of x)),  y = M_c(x) x
//   M_s(y) = sigmoid(f * [mean over channels of y; largest over channels of y]),   z = M_s(y) y
//   MLP(v) = W1 relu(W0 v + b0) + b1,   f a convolution of 7 x 7
//
// map [B, C, H, W] -> context [B, C, H, W]; weights M_c [B, C], M_s [B, H, W].
// O(B H W (C + 2 k^2)), and 2 C^2 / r + 2 k^2 parameters.
#pragma once

#include "../../../nn/conv.h"
#include "../../../nn/linear.h"
#include "../../terms.h"

namespace heed::attention {

class ChannelGate : public nn::Module {
 public:
  /// Throws ValueError unless 1 <= reduction <= channels.
  explicit ChannelGate(Index channels, Index reduction = 16, DType dtype = DType::f32);

  nn::Linear& fc1;  ///< W0 [C / r, C]
  nn::Linear& fc2;  ///< W1 [C, C / r]

  /// y, M_c [B, C]. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& map, bool need_weights = false) const;
};

class PlaceGate : public nn::Module {
 public:
  /// Throws ValueError unless the kernel is positive and odd.
  explicit PlaceGate(Index kernel = 7, DType dtype = DType::f32);

  nn::Conv2d& conv;  ///< f [1, 2, k, k], without bias

  /// z, M_s [B, H, W], of a map of any channels. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& map, bool need_weights = false) const;
};

class CBAM : public nn::Module {
 public:
  /// Throws ValueError as the two.
  explicit CBAM(Index channels, Index reduction = 16, Index kernel = 7, DType dtype = DType::f32);

  ChannelGate& channels;
  PlaceGate& places;

  /// z, M_s [B, H, W]; `channels` says M_c by itself. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& map, bool need_weights = false) const;
};

}  // namespace heed::attention
