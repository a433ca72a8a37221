// Graph attention: each node looks at those from which an edge comes, in H heads of width D.
//
//   GAT (Velickovic et al. 2018, "Graph Attention Networks", eq. 1 to 6)
//     e_ij = LeakyReLU(a_t . W h_i + a_s . W h_j),   alpha_i = softmax over j in N(i) of e_ij
//     h'_i = sum_j alpha_ij W h_j
//   GATv2 (Brody et al. 2022, "How Attentive are Graph Attention Networks?", eq. 7)
//     e_ij = a . LeakyReLU(W_t h_i + W_s h_j),       h'_i = sum_j alpha_ij W_s h_j
//
// heads side by side, or their mean in a last layer. The paper's a is [a_t; a_s]. In GAT the order
// of the neighbours is the same for every node that looks; GATv2's depends on it.
//
// Over edges, x [N, input] -> [N, H D], at O(M H D + N input H D) for M edges: scores, softmax and
// sums are by segments, and no block of nodes is made. As a block under a mask, x [B, T, input] ->
// [B, T, H D], it is the same where no edge stands twice, O(T^2 H D), and goes with any normaliser.
#pragma once

#include "../../../nn/linear.h"
#include "../../attend.h"
#include "edges.h"
#include "graph_score.h"

namespace heed::attention {

enum class GraphAttentionKind : std::uint8_t { gat, gat_v2 };

struct GraphAttentionOptions {
  GraphAttentionKind kind = GraphAttentionKind::gat_v2;
  Index input = 0;
  Index head_width = 0;         ///< D
  Index heads = 1;              ///< H
  bool average = false;         ///< the heads' mean [.., D], in the place of all of them
  bool shared = false;          ///< GATv2: W_t is W_s
  double negative_slope = 0.2;  ///< of LeakyReLU
  double dropout = 0;           ///< of the weights, in training
  bool bias = true;             ///< of the result; projections have none
  DType dtype = DType::f32;
};

class GraphAttention : public nn::Module {
 public:
  /// Throws ValueError unless sizes are positive and dropout is in [0, 1].
  explicit GraphAttention(const GraphAttentionOptions& options);

 private:
  GraphAttentionOptions options_;

 public:
  nn::Linear& source_projection;  ///< W, W_s [H D, input]
  nn::Linear* target_projection;  ///< W_t; null for GAT and where shared
  GraphScore& score;              ///< a_t and a_s, or a
  Tensor& bias;                   ///< [H D], or [D] of a mean; undefined without

  /// Weights [M, H], in the order in which the edges came. A node without an edge gets the bias
  /// alone. Throws ShapeError, DTypeError.
  Attended operator()(const Tensor& x, const Edges& edges, bool need_weights = false) const;
  /// A block: who may look at whom is the terms' mask; their dropout wins over the options'.
  /// Weights [B, H, T, T].
  Attended operator()(const Tensor& x, const Terms& terms) const;

 private:
  struct Projected {
    Tensor target, source;  // [.., n, H D]
  };
  Projected project(const Tensor& x) const;
  Tensor joined(const Tensor& heads) const;
};

}  // namespace heed::attention
