// Pooling: a set of vectors as one.
//
// Attention pooling (Yang et al. 2016, "Hierarchical Attention Networks for Document
// Classification"), for words and for sentences alike:
//   u_t = tanh(W h_t + b),  alpha_t = softmax_t(u_t . u_w),  s = sum_t alpha_t h_t
// h: values [B, T, E]; u_w: context_vector [hidden]; s: context [B, E]; alpha: weights [B, T].
//
// All take a packed batch as well, tokens [N, E] -> [B, E], at the cost of its tokens; a sequence
// without any gives zeros.
#pragma once

#include "../../../autograd/ops/packed/packed.h"
#include "../../../nn/linear.h"
#include "../../../nn/module.h"
#include "../../attend.h"
#include "../../masks/mask.h"

namespace heed::attention {

class AttentionPooling : public nn::Module {
 public:
  /// Vectors of `width`, scored in a space of `hidden` (0: as wide). Throws ValueError.
  explicit AttentionPooling(Index width, Index hidden = 0, DType dtype = DType::f32);

  nn::Linear& projection;
  Tensor& context_vector;

  /// values [B, T, width], mask broadcasting to [B, T] -> context [B, width], weights [B, T].
  /// Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& values, const Mask& mask = Mask(),
                      bool need_weights = false) const;
  /// The same of a packed batch: weights [N]. Throws as check_offsets(), too.
  Attended operator()(const Packed& values, bool need_weights = false) const;
};

/// The mean of the places that may be attended to, [B, T, E] -> [B, E]; zeros where there are none.
Tensor average_pooling(const Tensor& values, const Mask& mask = Mask());
Tensor average_pooling(const Packed& values);
/// The maximum, feature by feature; zeros where there are none.
Tensor max_pooling(const Tensor& values, const Mask& mask = Mask());
Tensor max_pooling(const Packed& values);

}  // namespace heed::attention
