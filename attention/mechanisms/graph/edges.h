// Edges: a graph as a list of edges, each from a source to a target, which looks at it. Kept by
// target, so that what a node attends to is a segment: softmax and sums over it cost O(edges), and
// no block of nodes by nodes is made (see autograd/ops/packed/segment.h).
#pragma once

#include <vector>

#include "../../../autograd/tensor.h"

namespace heed::attention {

class Edges {
 public:
  /// Edge m goes from sources[m] to targets[m]; one may stand here several times. Throws ShapeError
  /// unless there are as many of both, ValueError for negative `nodes`, IndexError for a node that
  /// is not there, OutOfMemory.
  Edges(const std::vector<Index>& sources, const std::vector<Index>& targets, Index nodes);
  /// Every node from each, itself included, among the first lengths[b] of `places` nodes of each
  /// graph b: a padded batch [B, places, ..] as one graph of B places nodes. Throws ShapeError,
  /// OutOfMemory.
  static Edges complete(const std::vector<Index>& lengths, Index places);
  /// Graphs side by side: the nodes of each behind those of the last.
  static Edges beside(const std::vector<Edges>& graphs);

  /// Each edge the other way, too, none twice; and an edge from each node to itself.
  Edges both_ways() const;
  Edges with_self_loops() const;

  Index nodes() const { return static_cast<Index>(offsets_.size()) - 1; }
  Index count() const { return static_cast<Index>(from_.size()); }
  /// Those that end at node i are offsets()[i] .. offsets()[i + 1] - 1, in the order they came in.
  const std::vector<Index>& offsets() const { return offsets_; }
  const std::vector<Index>& from() const { return from_; }
  const std::vector<Index>& to() const { return to_; }
  /// The same as i64 [count].
  Tensor sources() const;
  Tensor targets() const;
  /// Where the edge that came m-th stands now, i64 [count].
  Tensor given() const;
  /// bool [nodes, nodes], true at (i, j) where an edge goes from j to i: what a Mask of a block is
  /// made of.
  Tensor block() const;

 private:
  std::vector<Index> offsets_ = {0}, from_, to_, given_;
};

}  // namespace heed::attention
