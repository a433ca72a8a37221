// Structured attention over trees: each token looks at its parent, under the distribution over all
// non-projective trees with one root, by Kirchhoff's matrix-tree theorem.
//
//   p(tree) = exp(root_r + sum over edges i -> j of f_ij) / Z
//   L_ij = -exp(f_ij),  L_jj = sum_i exp(f_ij),  and in the first row exp(root_j);   Z = det L
//   p(j is the root) = exp(root_j) [L^-1]_j1
//   p(i -> j) = (j != 1) exp(f_ij) [L^-1]_jj - (i != 1) exp(f_ij) [L^-1]_ji
//
// Koo et al. 2007, "Structured Prediction Models via the Matrix-Tree Theorem", proposition 1 and
// section 3. Ours is turned round, as weights of attention are: scores [.., T, T] have a row a
// child and a column a parent. O(T^3), in f64 within. Where rings weigh far more than trees, L^-1
// has lost its digits; those matrices go by tree_elimination.h, which takes longer.
//
// TreeAttention (Liu and Lapata 2018, "Learning Structured Text Representations", section 3.1):
//   f_ij = tanh(W_p x_i)^T W_a tanh(W_c x_j),  root_j = w_r . x_j
//   p_j = p(j is the root) e_root + sum_i p(i -> j) x_i,   c_i = sum_j p(i -> j) x_j
//   context_i = tanh(W [x_i; p_i; c_i])
// x [B, T, E] -> context [B, T, E], weights [B, T, T], (j, i) = p(i -> j), which with roots [B, T]
// sum to 1. The paper takes half of x for the structure and half for what is summed up; ours all of
// it for
// both.
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"

namespace heed::attention {

struct TreeMarginals {
  Tensor parents;        ///< [.., T, T]: row j, column i is p(i -> j)
  Tensor roots;          ///< [.., T]
  Tensor log_partition;  ///< log Z, [..]; 0 without tokens
};

/// scores [.., T, T], row a child, column a parent, its diagonal unread; roots [.., T]. Tokens that
/// are not `allowed` (bool, broadcasts to [.., T]; undefined: all are) take no part and get 0.
/// Throws ShapeError, DTypeError, and ValueError where infinite scores leave no tree.
TreeMarginals spanning_trees(const Tensor& scores, const Tensor& roots,
                             const Tensor& allowed = Tensor());

struct TreeAttentionOptions {
  Index width = 0;   ///< E
  Index hidden = 0;  ///< of the scores
  DType dtype = DType::f32;
};

struct TreeAttended : Attended {
  Tensor roots = {};  ///< [B, T]; undefined unless weights are asked for
};

class TreeAttention : public nn::Module {
 public:
  /// Throws ValueError unless both sizes are positive.
  explicit TreeAttention(const TreeAttentionOptions& options);

  nn::Linear& parent_projection;  ///< W_p [hidden, E]
  nn::Linear& child_projection;   ///< W_c [hidden, E]
  Tensor& affinity;               ///< W_a [hidden, hidden]
  Tensor& root_vector;            ///< w_r [E]
  Tensor& root;                   ///< e_root [E]
  nn::Linear& out;                ///< W [E, 3 E], without a bias

  /// Throws ShapeError, DTypeError.
  TreeAttended operator()(const Tensor& x, const Mask& mask = Mask(),
                          bool need_weights = false) const;
};

}  // namespace heed::attention
