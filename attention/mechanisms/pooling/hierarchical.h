// Hierarchical attention (Yang et al. 2016, "Hierarchical Attention Networks for Document
// Classification"), to any depth: words to sentences, sentences to documents, documents to ...
//
//   at each level  h = encode(x),  alpha = softmax_t(u_w . tanh(W h_t + b)),  s = sum_t alpha_t h_t
//
// and the s of one level are the x of the next. The encoder is any callable, a bidirectional GRU in
// the paper; it stays the caller's, who owns its parameters. A recipe stands in docs/attention.md.
#pragma once

#include <functional>

#include "../../../nn/module_list.h"
#include "pooling.h"

namespace heed::attention {

/// One level of the tree.
struct HierarchicalLevel {
  Index width = 0;   ///< of what `encode` gives
  Index hidden = 0;  ///< of the scores; 0: width
  /// x [n, T, in], padded with zeros, of which row i has lengths[i] places -> [n, T, width]. None:
  /// x itself.
  std::function<Tensor(const Tensor& x, const std::vector<Index>& lengths)> encode = {};
  /// The same of packed batches, tokens [N, in] -> [N, width].
  std::function<Tensor(const Packed& x)> encode_packed = {};
  /// What stands in the place of attention, [N, width] -> [n, width]: average_pooling, say. Packed
  /// batches only.
  std::function<Tensor(const Packed& x)> pool = {};
};

struct HierarchicalOutput {
  Tensor context;  ///< [B, width of the last level]
  /// Of each level, [its rows, T], of packed batches [its tokens]; empty unless asked for.
  /// Undefined for a level with a `pool` of its own.
  std::vector<Tensor> weights = {};
};

class Hierarchical : public nn::Module {
 public:
  /// Levels from the leaves up. Throws ValueError without any, and for widths out of range.
  explicit Hierarchical(const std::vector<HierarchicalLevel>& levels, DType dtype = DType::f32);

 private:
  std::vector<HierarchicalLevel> encoders_;

 public:
  nn::ModuleListOf<AttentionPooling>& levels;  ///< those that have attention

  /// x [n, T, in]: all leaf sequences, those of one parent after each other. counts[0][i] is the
  /// length of row i, counts[l][i] the number of rows of level l - 1 that make row i of level l;
  /// the last says how many rows there are in the end. A row of nothing is zeros, and its parent
  /// reads it as such. Throws ShapeError where counts do not fit each other.
  HierarchicalOutput operator()(const Tensor& x, const std::vector<std::vector<Index>>& counts,
                                bool need_weights = false) const;
  /// The same without padding: x has the leaf sequences, `above` the counts of the levels above.
  HierarchicalOutput operator()(const Packed& x, const std::vector<std::vector<Index>>& above,
                                bool need_weights = false) const;
};

/// Rows [n, E], of which counts[i] belong to group i, one group after the other -> [groups, largest
/// count, E], padded with zeros. Throws ShapeError unless the counts are not negative and sum to n.
Tensor grouped_rows(const Tensor& rows, const std::vector<Index>& counts);

}  // namespace heed::attention
