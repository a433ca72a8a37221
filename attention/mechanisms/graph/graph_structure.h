// What a graph's edges say of its nodes, as numbers that a Transformer can take: positions,
// distances and degrees. Made once for a graph, without gradients.
//
//   laplacian positions eigenvectors of 1 - D^-1/2 A D^-1/2 of the smallest eigenvalues but the
//   first
//                         (Dwivedi and Bresson 2021, "A Generalization of Transformer Networks to
//                         Graphs")
//   shortest paths steps from node to node, and degrees (Ying et al. 2021, "Do Transformers Really
//
//                         Perform Bad for Graph Representation?", Graphormer)
//
// A is 1 where an edge goes one way or the other, without those from a node to itself; so is a
// step.
#pragma once

#include "../../../core/generator.h"
#include "edges.h"

namespace heed::attention {

/// [nodes, count], each column of length 1, the element of largest size positive; zeros where there
/// are fewer. A node without neighbours is 0 throughout. O(nodes^3). Throws ValueError for a
/// negative count.
Tensor laplacian_positions(const Edges& edges, Index count, DType dtype = DType::f32);
/// The eigenvectors' signs mean nothing: each column times -1 or 1, drawn for each batch in
/// training.
Tensor with_random_signs(const Tensor& positions, Generator& generator = default_generator());

/// i64 [nodes, nodes]: steps between two nodes, `limit` where there are more or no way. O(nodes
/// edges). Throws ValueError unless the limit is positive.
Tensor shortest_paths(const Edges& edges, Index limit);

/// i64 [nodes]: how many neighbours, at most `limit`. Throws ValueError for a negative one.
Tensor degrees(const Edges& edges, Index limit);

/// Graphs of a batch, padded to `places` nodes; each of these is undefined where not asked for.
struct GraphStructure {
  Tensor positions = {};            ///< [B, places, count]
  Tensor distances = {};            ///< i64 [B, places, places]
  Tensor degrees = {};              ///< i64 [B, places]
  std::vector<Index> lengths = {};  ///< nodes of each
};
struct GraphStructureOptions {
  Index positions = 0;     ///< count of eigenvectors; 0: none
  Index max_distance = 0;  ///< limit of distances; 0: none
  Index max_degree = 0;    ///< limit of degrees; 0: none
  DType dtype = DType::f32;
};
/// Throws ValueError for more nodes than places, and as above.
GraphStructure graph_structure(const std::vector<Edges>& graphs, Index places,
                               const GraphStructureOptions& options);

}  // namespace heed::attention
