// What a node of a graph does when the graph runs. Internal to onnx.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../autograd/tensor.h"
#include "model.h"

namespace heed::onnx {

/// What holds for one run of the graph.
struct Run {
  bool training = false;
  /// The dtype of all that floats, where it is not the file's: after module.to(DType::f64), say.
  std::optional<DType> floating = {};

  /// What numbers of the file's dtype are in this run.
  DType dtype(DType given) const { return is_floating(given) && floating ? *floating : given; }
};

/// Inputs in the node's order; what is left out is undefined. As many results as the node names, or
/// more.
using Operation = std::function<std::vector<Tensor>(const std::vector<Tensor>&, const Run&)>;

/// A graph in an attribute, as a function of the values of the graphs around it that it uses.
struct Branch {
  Operation run;
  std::size_t inputs = 0;             ///< its own, run()'s first inputs
  std::vector<std::string> captured;  ///< names of those values: run()'s others
  std::size_t outputs = 0;
};

}  // namespace heed::onnx
