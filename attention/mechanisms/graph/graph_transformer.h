// A Transformer over the nodes of graphs: every node sees every other one of its graph, and knows
// by positions, distances and degrees how they hang together.
//
//   x_i = h_i + W lambda_i + z[degree_i] Laplacian positions, Dwivedi and Bresson 2021, eq. 8
//
//   e_ij = q_i . k_j / sqrt(D) + b_h[distance(i, j)]     Ying et al. 2021 (Graphormer), eq. 5 and 6
//
// h [B, T, E], B graphs of up to T nodes -> [B, T, E]; b [H, max_distance + 1] is one for all
// layers. The bias is a map of the scores (maps::by_distance), so that tiles go on; O(T^2 E) a
// layer, O(T^2) for the
// distances. What is left out by its option being 0 is not there. Ying's bias of the edges along a
// path is not here.
#pragma once

#include "../../../nn/embedding.h"
#include "../../../nn/linear.h"
#include "../transformer/transformer_encoder.h"
#include "graph_structure.h"

namespace heed::attention {

struct GraphTransformerOptions {
  Index layers = 1;
  TransformerOptions transformer = {};
  Index positions = 0;     ///< eigenvectors
  Index max_distance = 0;  ///< farther ones, and those without a way, share a number
  Index max_degree = 0;
  bool final_norm = false;

  /// What graph_structure() is to make.
  GraphStructureOptions structure() const {
    return {positions, max_distance, max_degree, transformer.dtype};
  }
};

class GraphTransformer : public nn::Module {
 public:
  /// Throws ValueError for negative sizes, and as TransformerEncoder.
  explicit GraphTransformer(const GraphTransformerOptions& options);

 private:
  GraphTransformerOptions options_;

 public:
  nn::Linear* position_projection;  ///< W [E, positions], without a bias; null without
  nn::Embedding* degree_embedding;  ///< z [max_degree + 1, E]; null without
  Tensor& distance_bias;            ///< b [H, max_distance + 1], at first 0; undefined without
  TransformerEncoder& encoder;

  /// Nodes beyond a graph's own are masked. A map of the terms comes before the bias. Throws
  /// ShapeError, DTypeError, ValueError for a structure that lacks what the options have.
  TransformerOutput operator()(const Tensor& h, const GraphStructure& graphs,
                               const Terms& terms = {}) const;
};

}  // namespace heed::attention
