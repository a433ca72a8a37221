// DRAW's attention (Gregor et al. 2015, "DRAW: A Recurrent Neural Network For Image Generation",
// section 3.2): a patch of N x N Gaussian filters is read from an image, or written into one,
// differentiably in where it lies.
//
//   (gx', gy', log sigma^2, log delta', log gamma) = W h                                 eq. 21
//   gx = (W + 1) / 2 (gx' + 1),  gy = (H + 1) / 2 (gy' + 1)                               eqs. 22, 23
//   delta = (max(H, W) - 1) / (N - 1) delta'                                             eq. 24
//   mu_i = g + (i - N / 2 - 0.5) delta,  i = 1 .. N                                      eqs. 19, 20
//   F[i, a] = exp(-(a - mu_i)^2 / (2 sigma^2)) / Z                                       eqs. 25, 26
//   read(x) = gamma F_Y x F_X^T                                                          eq. 27
//   write(w) = 1 / gamma F_Y^T w F_X                                                     eq. 29
//
// The filters are attend()'s weights, of a Gaussian score over the rows' and the columns' places,
// which count from 1 as the paper's. image [B, C, H, W], state [B, h] -> patch [B, C, N, N].
// O(B C N H W) for a patch.
#pragma once

#include "../../../nn/linear.h"
#include "../../scores/gaussian.h"

namespace heed::attention {

struct DrawOptions {
  Index state_width = 0;        ///< h
  Index size = 0;               ///< N
  Index height = 0, width = 0;  ///< H, W of the image
  DType dtype = DType::f32;
};

/// Where a patch lies.
struct DrawFilters {
  Tensor rows, columns;  ///< F_Y [B, N, H], F_X [B, N, W]
  Tensor gamma;          ///< [B]
};

class DrawAttention : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit DrawAttention(const DrawOptions& options);

 private:
  DrawOptions options_;
  Gaussian gaussian_;

 public:
  nn::Linear& window;  ///< W [5, h]

  DrawFilters filters(const Tensor& state) const;
  /// image [B, C, H, W] -> [B, C, N, N]. Throws ShapeError, DTypeError.
  Tensor read(const Tensor& image, const DrawFilters& at) const;
  Tensor read(const Tensor& image, const Tensor& state) const;
  /// patch [B, C, N, N] -> [B, C, H, W]. Throws ShapeError, DTypeError.
  Tensor write(const Tensor& patch, const DrawFilters& at) const;
  Tensor write(const Tensor& patch, const Tensor& state) const;
};

}  // namespace heed::attention
