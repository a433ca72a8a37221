// Attention-augmented convolution (Bello et al. 2019, "Attention Augmented Convolutional
// Networks"):
// some of a convolution's channels come from self-attention over all places.
//
//   y = [conv(x); W^O MHA(x)]                                                      eq. 4
//   head_h = softmax((Q K^T + S^H + S^W) / sqrt(d)) V                              eq. 3
//   S^W_ij = q_i . r^W of (column of j - column of i),  S^H the same of rows
//
// The relative logits of two axes cost O(H W (H + W) d), and come as a bias of attend().
// map [B, C, H, W] -> context [B, O, H, W], weights [B, heads, H W, H W]. O((H W)^2 (dk + dv)).
#pragma once

#include "../../../nn/conv.h"
#include "../../attend.h"
#include "../../positions/relative.h"

namespace heed::attention {

struct AugmentedConvolutionOptions {
  Index in = 0, out = 0;  ///< C, O: of both parts together
  Index kernel = 3;       ///< odd: the map keeps its size
  Index heads = 1;
  Index key_width = 0, value_width = 0;  ///< dk, dv of all heads together; dv < O
  Index height = 0, width = 0;           ///< of the largest map; beyond it distances are cut off
  bool relative = true;
  DType dtype = DType::f32;
};

class AugmentedConvolution : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, heads that do not divide the widths, dv >=
  /// O.
  explicit AugmentedConvolution(const AugmentedConvolutionOptions& options);

 private:
  AugmentedConvolutionOptions options_;

 public:
  nn::Conv2d& conv;                   ///< [O - dv, C, k, k]
  nn::Conv2d& qkv;                    ///< [2 dk + dv, C, 1, 1]
  nn::Conv2d& attn_out;               ///< W^O [dv, dv, 1, 1]
  RelativePositions *rows, *columns;  ///< r^H, r^W; null unless relative

  /// Throws ShapeError, DTypeError, ValueError.
  Attended operator()(const Tensor& map, const Terms& terms = {}) const;

 private:
  Tensor relative_logits(const Tensor& q, Index H, Index W) const;
};

}  // namespace heed::attention
