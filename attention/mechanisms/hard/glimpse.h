// The two networks around the glimpse sensor in the recurrent attention model (Mnih et al. 2014).
//
//   glimpse    g = relu(W1 relu(W_what rho(x, l)) + W2 relu(W_where l)), all with biases
//   location   mean of the next place = W h + b, or tanh of it; the place itself is drawn from a
//              normal distribution around it, see autograd/stochastic
//
// The paper's h_g, h_l are what(..), where(..); its f_g is GlimpseNetwork, its f_l LocationNetwork.
#pragma once

#include "../../../nn/linear.h"
#include "glimpse_sensor.h"

namespace heed::attention {

struct GlimpseOptions {
  Index channels = 1;  ///< C of the images
  Index size = 8;      ///< g: the sharpest patch is g x g
  Index scales = 1;    ///< S patches, each of twice the side of the one before
  Index hidden = 128;  ///< of what and of where
  Index width = 256;   ///< of the result
  DType dtype = DType::f32;
};

class GlimpseNetwork : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, or as glimpse_sensor() does.
  explicit GlimpseNetwork(const GlimpseOptions& options = {});

  GlimpseOptions options;
  nn::Linear& what;
  nn::Linear& where;
  nn::Linear& what_out;
  nn::Linear& where_out;

  /// images [B, C, H, W], centres [B, 2] -> [B, width]; centres [B, N, 2] -> [B, N, width]. Throws
  /// as glimpse_sensor() does, and ShapeError for another number of channels.
  Tensor operator()(const Tensor& images, const Tensor& centres) const;
};

class LocationNetwork : public nn::Module {
 public:
  /// `width` of the states; `bounded`: through tanh, so that means lie within the image. Throws
  /// ValueError unless the width is positive.
  explicit LocationNetwork(Index width, DType dtype = DType::f32, bool bounded = false);

  nn::Linear& linear;

  /// h [.., width] -> [.., 2], the mean of the next place; the image is [-1, 1].
  Tensor operator()(const Tensor& h) const;

 private:
  bool bounded_;
};

}  // namespace heed::attention
