// Multi-dimensional attention (Shen et al. 2018, "DiSAN: Directional Self-Attention Network"): a
// score, and so a softmax over the tokens, for each feature.
//
//   source2token  P = softmax_i(W2 tanh(W1 x_i + b1) + b2),               s = sum_i P_i o x_i
//   token2token   P_j = softmax_i(W2 tanh(W1 x_j + W1' x_i + b1) + b2),   s_j = sum_i P_ji o x_i
//
// x [B, T, E]; weights have E as a last axis. The paper's activation may be any; here it is tanh.
// Its directional forms are token2token under a mask of the past, or of the future, without j
// itself.
#pragma once

#include "../../attend.h"
#include "../../scores/feature_wise.h"

namespace heed::attention {

class SourceToToken : public nn::Module {
 public:
  /// Scored in a space of `hidden` (0: as wide as x). Throws ValueError.
  explicit SourceToToken(Index width, Index hidden = 0, DType dtype = DType::f32);

  nn::Linear& projection;  ///< W1 [hidden, E], b1
  nn::Linear& out;         ///< W2 [E, hidden], b2

  /// x [B, T, E], mask broadcasting to [B, T] -> context [B, E], weights [B, T, E]. Throws
  /// ShapeError, DTypeError.
  Attended operator()(const Tensor& x, const Mask& mask = Mask(), bool need_weights = false) const;
};

class TokenToToken : public nn::Module {
 public:
  explicit TokenToToken(Index width, Index hidden = 0, DType dtype = DType::f32);

  FeatureWise& score;

  /// x [B, T, E] -> context [B, T, E], weights [B, T, T, E]. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, const Mask& mask = Mask(), bool need_weights = false) const;
};

}  // namespace heed::attention
