// Decomposable attention (Parikh et al. 2016, "A Decomposable Attention Model for Natural Language
// Inference"): attend, compare, aggregate, and no recurrence.
//
//   e_ij = F(a_i) . F(b_j);  beta_i, alpha_j: see soft_alignment.h
//   v1_i = G([a_i; beta_i]),  v2_j = G([b_j; alpha_j]);  v1 = sum_i v1_i,  v2 = sum_j v2_j
//   pair = [v1; v2], of which a classifier H makes the labels
//
// F and G are two layers of relu with dropout before each. The order of the words is nothing to it
// but for what their vectors say of it. With `differences` G reads [a; beta; a - beta; a o beta] in
// place of [a; beta], as Chen et al. 2017 compare: see esim.h.
#pragma once

#include "../../../nn/sequential.h"
#include "pair_output.h"
#include "soft_alignment.h"

namespace heed::attention {

struct DecomposableOptions {
  Index width = 0;   ///< of a token, d
  Index hidden = 0;  ///< of F and G
  double dropout = 0;
  bool differences = false;
  DType dtype = DType::f32;
};

class DecomposableAttention : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive and dropout is in [0, 1].
  explicit DecomposableAttention(const DecomposableOptions& options);

 private:
  DecomposableOptions options_;

 public:
  nn::Sequential& attend;   ///< F
  nn::Sequential& compare;  ///< G

  /// premise [B, L, d], hypothesis [B, T, d], of which row b has so many tokens; no lengths: all.
  /// pair: [B, 2 hidden]. Throws ShapeError, DTypeError.
  PairOutput operator()(const Tensor& premise, const Tensor& hypothesis,
                        const std::vector<Index>& premise_lengths = {},
                        const std::vector<Index>& hypothesis_lengths = {},
                        bool need_weights = false) const;
};

}  // namespace heed::attention
