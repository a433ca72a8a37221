// The vision transformer (Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words"): patches of an
// image as words, read by the library's Transformer encoder.
//
//   z_0 = [x_class; x_1 E; ..; x_N E] + E_pos                     eq. 1: E a convolution by patches
//   z = encoder(z_0), of pre-norm layers with GELU                eqs. 2 and 3
//   y = W LN(z)[0]                                                eq. 4
//
// With `distilled` a second token learns from a teacher (Touvron et al. 2021, "Training
// Data-Efficient Image Transformers", DeiT): its own head, its own labels; at test time the two
// softmaxes are averaged.
//
// images [B, C, H, W] -> logits [B, classes], weights a tensor [B, heads, T, T] a layer, T = N + 1
// or N + 2, patches row by row behind the tokens. O(layers (N^2 E + N E^2)).
#pragma once

#include <functional>

#include "../../../nn/conv.h"
#include "../../positions/learned.h"
#include "../transformer/transformer_encoder.h"

namespace heed::attention {

struct VisionTransformerOptions {
  Index height = 0, width = 0, channels = 3;  ///< of the images; patches divide the sizes
  Index patch = 16;
  Index classes = 0;
  Index layers = 12;
  Index embedding = 768;  ///< E
  Index heads = 12;
  Index hidden = 0;  ///< of the feed-forward parts; 0: 4 E
  double dropout = 0;
  bool distilled = false;
  DType dtype = DType::f32;
  /// What the encoder's layers have beside.
  std::function<TransformerOptions(TransformerOptions)> encoder = {};
};

struct VisionTransformerOutput {
  Tensor logits;
  Tensor distilled = {};             ///< logits of the distillation token; undefined without
  std::vector<Tensor> weights = {};  ///< of each layer, where the terms ask for them
  std::vector<Routed> routed = {};   ///< of each layer that has experts
};

class VisionTransformer : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, and patches that do not divide the image.
  explicit VisionTransformer(const VisionTransformerOptions& options);

 private:
  VisionTransformerOptions options_;

 public:
  nn::Conv2d& patch_embed;  ///< [E, C, patch, patch]
  Tensor& cls_token;        ///< [1, 1, E]
  Tensor& dist_token;       ///< the same; undefined without
  LearnedPositions& positions;
  TransformerEncoder& encoder;
  nn::Linear& head;
  nn::Linear* head_dist;  ///< null without

  /// Throws ShapeError, DTypeError.
  VisionTransformerOutput operator()(const Tensor& images, const Terms& terms = {}) const;
};

/// Hard-label distillation (DeiT, eq. 3): 1/2 CE(logits, labels) + 1/2 CE(distilled, what the
/// teacher says). labels, teacher i64 [B]. Throws GradError without distilled logits; as
/// cross_entropy().
Tensor hard_distillation_loss(const VisionTransformerOutput& output, const Tensor& labels,
                              const Tensor& teacher);

}  // namespace heed::attention
