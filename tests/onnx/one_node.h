// A graph of one node, written, read, and run; and plain loops over all places of a tensor, for
// what it must give.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../autograd/autograd.h"
#include "../../onnx/graph_module.h"
#include "../../onnx/read_model.h"
#include "../../onnx/write_model.h"

namespace heed::onnx {

using Ints = std::vector<std::int64_t>;

/// The model of nodes on inputs x0, x1, .. of these tensors' dtypes; an undefined one is left out.
inline Model model_on(const std::vector<Tensor>& inputs, std::vector<Node> nodes,
                      const std::vector<std::string>& outputs, std::int64_t opset) {
  Model out;
  out.opsets = {{"", opset}};
  out.graph.nodes = std::move(nodes);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined())
      out.graph.inputs.push_back(
          {.name = "x" + std::to_string(i), .type = data_type_of(inputs[i].dtype()), .shape = {}});
  }
  for (const std::string& name : outputs)
    out.graph.outputs.push_back({.name = name, .type = DataType::undefined, .shape = {}});
  return out;
}

/// One node of an operator: inputs x0, x1, .., results y0, y1, ..
inline Model one_node(const std::string& op, const std::vector<Tensor>& inputs,
                      std::vector<Attribute> attributes, std::int64_t opset, std::size_t results) {
  Node node{.op_type = op, .attributes = std::move(attributes)};
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    node.inputs.push_back(inputs[i].defined() ? "x" + std::to_string(i) : "");
  for (std::size_t i = 0; i < results; ++i) outputs.push_back("y" + std::to_string(i));
  node.outputs = outputs;
  return model_on(inputs, {node}, outputs, opset);
}

/// Writes a graph, its inputs and what it gives here as files into the folder that HEED_ONNX_CASES
/// names, for another program to run (scripts/peers); nothing where it names none. Numbers are f32.
void write_case(const std::string& name, const Model& model, const std::vector<Tensor>& inputs);

struct OneNode {
  std::string op = {};
  std::vector<Attribute> attributes = {};
  std::int64_t opset = 17;
  std::size_t results = 1;
  bool training = false;
  bool ours_alone = false;  ///< not for other programs, which crash or differ

  std::vector<Tensor> all(const std::vector<Tensor>& inputs) const;
  template <class... Inputs>
  Tensor operator()(const Inputs&... inputs) const {
    return all({inputs...})[0];
  }
};

using Place = std::vector<Index>;

inline double at(const Tensor& x, const Place& place) {
  Tensor out = x.detach();
  Array array = out.array();
  for (const Index each : place) array = array.select(0, each);
  return array.item();
}
/// Each element by what `number` says of its place.
inline Tensor made(const Shape& shape, const std::function<double(const Place&)>& number,
                   DType dtype = DType::f64) {
  std::vector<double> out;
  Place place(static_cast<std::size_t>(shape.rank()), 0);
  for (Index i = 0; i < shape.numel(); ++i) {
    Index left = i;
    for (Index axis = shape.rank(); axis-- > 0;) {
      place[static_cast<std::size_t>(axis)] = left % shape[axis];
      left /= shape[axis];
    }
    out.push_back(number(place));
  }
  return Tensor(Array::from(out, shape).to(dtype));
}
/// The same from each element of x.
inline Tensor each(const Tensor& x, const std::function<double(double)>& number,
                   std::optional<DType> dtype = {}) {
  return made(
      x.shape(), [&](const Place& place) { return number(at(x, place)); },
      dtype.value_or(x.dtype()));
}
inline Tensor ints(const std::vector<std::int64_t>& values) { return Array::from(values); }
inline Tensor ints(const std::vector<std::int64_t>& values, const Shape& shape) {
  return Array::from(values, shape);
}
inline Tensor random(const Shape& shape) { return randn(shape, DType::f64); }

}  // namespace heed::onnx
