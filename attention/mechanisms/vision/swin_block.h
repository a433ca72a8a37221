// Swin's block (Liu et al. 2021, "Swin Transformer", section 3.2): self-attention within windows of
// M x M places, which every second block shifts by half a window, and the merging of patches.
//
//   x = x + (S)W-MSA(LN(x)),  x = x + MLP(LN(x))                              eq. 3
//   Attention(Q, K, V) = softmax(Q K^T / sqrt(d) + B) V                       eq. 4
//   B_ij of (row of j - row of i, column of j - column of i), (2 M - 1)^2 numbers a head
//
// which is the library's pre-norm encoder layer over [B windows, M^2, E], with a bias. A shift
// rolls the map, so that windows at its end hold places from both ends; a mask parts them (fig. 4).
// Maps that windows do not divide are padded, and what pads is seen by none of the map's places.
//
// x [B, H, W, E] -> context [B, H, W, E], weights [B, windows, heads, M^2, M^2]; windows in rows of
// the padded and shifted map. O(H W (M^2 E + E^2)).
#pragma once

#include "../../../nn/layer_norm.h"
#include "../transformer/transformer_encoder.h"

namespace heed::attention {

struct SwinBlockOptions {
  Index width = 0;  ///< E
  Index heads = 1;
  Index window = 7;  ///< M
  Index shift = 0;   ///< in [0, M)
  Index hidden = 0;  ///< of the MLP; 0: 4 E
  double dropout = 0;
  DType dtype = DType::f32;
};

class SwinBlock : public nn::Module {
 public:
  /// Throws ValueError.
  explicit SwinBlock(const SwinBlockOptions& options);

 private:
  SwinBlockOptions options_;

 public:
  TransformerEncoderLayer& layer;
  Tensor& relative_bias;  ///< [(2 M - 1)^2, heads]

  /// Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, bool need_weights = false) const;

 private:
  Tensor bias() const;
};

/// Four neighbouring patches as one: W LN([x_00; x_10; x_01; x_11]).
class PatchMerging : public nn::Module {
 public:
  explicit PatchMerging(Index width, DType dtype = DType::f32);

  nn::LayerNorm& norm;    ///< [4 E]
  nn::Linear& reduction;  ///< [2 E, 4 E], without a bias

  /// x [B, H, W, E] -> [B, ceil(H / 2), ceil(W / 2), 2 E]; zeros beyond an odd edge. Throws
  /// ShapeError, DTypeError.
  Tensor operator()(const Tensor& x) const;
};

}  // namespace heed::attention
