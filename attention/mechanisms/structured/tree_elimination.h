// What spanning_trees() comes to where its Laplacian would lose its digits: tokens are eliminated
// one after the other, in logarithms, without a subtraction among the sums over trees.
//
// With a_ji the log score of parent i for child j, and a_j the one of j as the root, the last token
// n goes out by
//
//   s = log sum_{i < n} exp(a_ni),   a_ji <- log(exp(a_ji) + exp(a_jn + a_ni - s)),
//   a_j <- log(exp(a_j) + exp(a_jn + a_n - s)),   log Z = s + log Z of what is left,
//
// Markov chains' state reduction (Grassmann, Taksar and Heyman 1985) by the matrix-tree theorem;
// the marginals come back by the shares that went through n. O(T^3), T steps after each other.
#pragma once

#include "../../../autograd/tensor.h"

namespace heed::attention {

struct EliminatedTrees {
  Tensor parents;        ///< [N, T, T]: row j, column i is p(i -> j); of the diagonal nothing
  Tensor roots;          ///< [N, T]
  Tensor log_partition;  ///< [N]
};

/// scores [N, T, T], row a child, column a parent, its diagonal unread; roots [N, T]; finite
/// numbers of which those far below the others stand for none. Tokens that are not in `may` (bool
/// [N, T]) stand behind all others and take no part; what is said of them means nothing.
EliminatedTrees eliminate_trees(const Tensor& scores, const Tensor& roots, const Tensor& may);

}  // namespace heed::attention
