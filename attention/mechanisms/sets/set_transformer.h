// The Set Transformer (Lee et al. 2019, "Set Transformer: A Framework for Attention-based
// Permutation-Invariant Neural Networks"): functions of a set, whatever the order of its elements.
//
//   MAB(X, Y)   = LayerNorm(H + rFF(H)),  H = LayerNorm(X + MultiHead(X, Y, Y))         eq. 6, 7
//   SAB(X)      = MAB(X, X)                                        O(T^2 E)             eq. 8
//   ISAB_m(X)   = MAB(X, MAB(I, X)),  I [m, E] learned             O(T m E)             eq. 9, 10
//   PMA_k(Z)    = MAB(S, rFF(Z)),     S [k, E] learned                                  eq. 11
//   SetTransformer(X) = SAB(PMA_k(ISAB_m(ISAB_m(X))))              any number of each
//
// X [B, T, E] -> [B, T, E]; PMA -> [B, k, E]. rFF(x) = relu(W x + b), row by row. Elements that are
// masked count as zeros in X, and nobody sees them.
#pragma once

#include "../../../nn/module_list.h"
#include "../transformer/multi_head.h"

namespace heed::attention {

struct SetOptions {
  Index width = 0;         ///< E
  Index heads = 1;         ///< a divisor of E
  bool layer_norm = true;  ///< without, MAB has none, as some of the paper's models
  DType dtype = DType::f32;
};

/// MAB.
class SetBlock : public nn::Module {
 public:
  /// Throws ValueError, as MultiHead.
  explicit SetBlock(const SetOptions& options);

  MultiHead& attend;
  nn::LayerNorm *norm1, *norm2;  ///< null without
  nn::Linear& feed_forward;

  /// x [B, Q, E], y [B, K, E]; the context is the result, weights [B, H, Q, K]. The mask is that of
  /// y's elements. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, const Tensor& y, const Terms& terms = {}) const;
};

/// ISAB.
class InducedSetBlock : public nn::Module {
 public:
  /// Throws ValueError unless `points` is positive, and as SetBlock.
  InducedSetBlock(const SetOptions& options, Index points);

  Tensor& points;  ///< I [m, E]
  SetBlock& gather;
  SetBlock& spread;

  /// Weights [B, H, T, T] where asked for: who was heard by whom, by way of the points; of what is
  /// masked 0.
  Attended operator()(const Tensor& x, const Mask& mask = Mask(), bool need_weights = false) const;
};

/// PMA.
class SetPooling : public nn::Module {
 public:
  /// Throws ValueError unless `seeds` is positive, and as SetBlock.
  explicit SetPooling(const SetOptions& options, Index seeds = 1);

  Tensor& seeds;  ///< S [k, E]
  nn::Linear& feed_forward;
  SetBlock& block;

  /// Context [B, k, E], weights [B, H, k, T].
  Attended operator()(const Tensor& z, const Mask& mask = Mask(), bool need_weights = false) const;
};

struct SetTransformerOptions {
  SetOptions blocks = {};
  Index points = 0;   ///< m of ISAB; 0: SAB
  Index encoder = 2;  ///< blocks before the pooling
  Index seeds = 1;    ///< k
  Index decoder = 0;  ///< SAB blocks behind it
};

class SetTransformer : public nn::Module {
 public:
  /// Throws ValueError for negative counts, and as its blocks.
  explicit SetTransformer(const SetTransformerOptions& options);

  nn::ModuleListOf<InducedSetBlock>& induced;  ///< of the encoder, with points
  nn::ModuleListOf<SetBlock>& encoder;         ///< without
  SetPooling& pool;
  nn::ModuleListOf<SetBlock>& decoder;

  /// Context [B, k, E], weights [B, H, k, T] of the pooling.
  Attended operator()(const Tensor& x, const Mask& mask = Mask(), bool need_weights = false) const;
};

}  // namespace heed::attention
