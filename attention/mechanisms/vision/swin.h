// Swin (Liu et al. 2021, "Swin Transformer: Hierarchical Vision Transformer using Shifted
// Windows"):
// stages of blocks of attention within windows, between which patches are merged.
//
//   x = LN(patches W);  a stage: blocks, every second shifted;  merge: half the sides, twice the width
//   y = W LN(mean over places)
//
// images [B, C, H, W] -> logits [B, classes], features [B, h, w, E 2^(stages - 1)]. O(H W) in all.
#pragma once

#include "../../../nn/conv.h"
#include "../../../nn/module_list.h"
#include "swin_block.h"

namespace heed::attention {

struct SwinOptions {
  Index channels = 3;
  Index patch = 4;  ///< images of other sizes are padded to whole patches
  Index classes = 0;
  Index width = 96;                          ///< E of the first stage
  std::vector<Index> depths = {2, 2, 6, 2};  ///< blocks of each stage
  std::vector<Index> heads = {3, 6, 12, 24};
  Index window = 7;
  double dropout = 0;
  DType dtype = DType::f32;
};

struct SwinOutput {
  Tensor logits, features;
  std::vector<Tensor> weights = {};  ///< of each block, where asked for
};

class Swin : public nn::Module {
 public:
  /// Throws ValueError for sizes that are not positive, and unless there is a number of heads for
  /// each depth.
  explicit Swin(const SwinOptions& options);

 private:
  SwinOptions options_;

 public:
  nn::Conv2d& patch_embed;  ///< [E, C, patch, patch]
  nn::LayerNorm& patch_norm;
  nn::ModuleListOf<SwinBlock>& blocks;
  nn::ModuleListOf<PatchMerging>& merges;
  nn::LayerNorm& norm;
  nn::Linear& head;

  /// Throws ShapeError, DTypeError.
  SwinOutput operator()(const Tensor& images, bool need_weights = false) const;
};

}  // namespace heed::attention
