// graph(): the tape behind a tensor as a picture, operators and the leaves that get gradients, for
// looking at what will be differentiated.
//
//   const train::Graph tape = train::graph(loss, {.names = model.named_parameters()});
//   io::write_file_atomically("tape.svg", tape.svg());
//   io::write_file_atomically("tape.dot", tape.dot());   // dot -Tpdf tape.dot
//
// The tensor stands at the top, below each operator what it was made from. Large tapes are cut: the
// nearest operators to the tensor are shown, and a note says how many are not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"

namespace heed::train {

struct GraphOptions {
  /// Of the leaves: nn::Module::named_parameters().
  std::vector<std::pair<std::string, Tensor>> names = {};
  /// Most operators and leaves that are shown.
  Index most = 300;
};

/// The part of a tape that is shown.
class Graph {
 public:
  struct Vertex {
    std::string title;  ///< "matmul", "linear1.weight"
    std::string shape;  ///< "f32[32, 10]"
    bool leaf = false;
    Index layer = 0;  ///< 0 at the top; edges lead down
  };
  struct Edge {
    std::size_t from, to;  ///< an operator, and what it was made from
  };
  std::vector<Vertex> vertices;  ///< the tensor's own first
  std::vector<Edge> edges;
  Index left_out = 0;  ///< vertices that are not shown

  /// For Graphviz.
  std::string dot() const;
  /// By itself: boxes in layers, in light or dark as the viewer asks.
  std::string svg() const;
};

/// Throws GradError for a tensor that is undefined or requires no gradient, ValueError unless
/// `most` is positive.
Graph graph(const Tensor& output, const GraphOptions& options = {});

}  // namespace heed::train
