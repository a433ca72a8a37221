// GraphWriter: a graph of ONNX as it is written, node by node, of several traces of one model that
// agree in all but sizes. Names of values are what its functions take and give; what several ask
// for (a size, a constant, a transposed weight) stands in the graph once.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "extent.h"
#include "model.h"
#include "trace.h"

namespace heed::onnx {

/// What goes into a graph.
struct Input {
  std::string name;
  Tensor example;
  /// Names of the axes whose sizes may differ from call to call, one an axis, first axis first; an
  /// empty one, or one that is not given, stays as in the example. Equal names are equal sizes.
  std::vector<std::string> axes = {"batch"};
};

using Names = std::vector<std::string>;
using Attributes = std::vector<Attribute>;

class GraphWriter {
 public:
  /// Inputs and traces stay the caller's.
  GraphWriter(const std::vector<Input>& inputs, Sizes sizes, const std::vector<Trace>& traces,
              Names outputs);

  /// The first result of a new node.
  std::string node(const char* type, const Names& inputs, const Attributes& attributes = {});
  /// All of them.
  Names nodes(const char* type, const Names& inputs, std::size_t results,
              const Attributes& attributes = {});

  /// Numbers that are always the same.
  std::string constant(const Array& array);
  std::string number(double value, DType dtype);
  /// i64 [n].
  std::string whole(const std::vector<Index>& numbers);
  /// i64 [1] and i64 [n]: numbers that follow the sizes, as they were in each pass. Throws
  /// ValueError, which says `what` they are, where no rule explains them.
  std::string extent(const std::vector<Index>& passes, const std::string& what);
  std::string extents(const std::vector<std::vector<Index>>& passes, const std::string& what);
  /// f32, or another dtype, as i64 before.
  std::string cast(const std::string& value, DType dtype);
  /// i64 [count]: 0, 1, ..
  std::string range(const std::string& count);

  /// A matrix [n, m] as [m, n].
  std::string transposed(const std::string& matrix);

  /// A value of the traces.
  std::string value(Index id);
  void set_value(Index id, const std::string& name);
  const TracedValue& traced(Index id, std::size_t pass) const;

  const std::string& input_name(std::size_t place) const { return inputs_[place].name; }
  std::size_t passes() const { return traces_.size(); }
  const std::vector<Trace>& traces() const { return traces_; }
  const Sizes& sizes() const { return sizes_; }
  /// The pass that would tell two explanations of a number that was written.
  const std::optional<FurtherPass>& doubt() const { return doubt_; }
  /// The module whose operators are being written; names and messages begin with it.
  void enter(const std::string& path, const std::string& op);
  /// "operator softmax in module encoder.layers.0".
  std::string place() const;
  [[noreturn]] void refuse(const std::string& why) const;

  /// A name that nothing has, of a node or value that is not added here.
  std::string fresh(const std::string& type);
  /// The graph, when all is written.
  Graph finish();

 private:
  std::string once(const std::string& key, const char* type, const Names& inputs,
                   const Attributes& attributes = {});
  std::string size(Index number);
  ValueInfo info(const std::string& name, Index id);
  bool is_taken(const std::string& name) const { return taken_.count(name) != 0; }

  const std::vector<Input>& inputs_;
  Sizes sizes_;
  const std::vector<Trace>& traces_;
  std::optional<FurtherPass> doubt_;
  Names outputs_;
  Graph graph_;
  std::map<Index, std::string> values_;
  std::map<std::string, std::string> once_;
  std::map<std::string, int> taken_, counts_;
  std::string path_, op_;
};

/// Numbers that a model made of its sizes, or of an input, without an operator that was traced:
/// zeros to begin with, places, masks of places. Throws ValueError for those of no known rule.
std::string write_constant(GraphWriter& to, Index id);

inline Attribute attribute(const char* name, std::int64_t value) { return {name, value}; }
inline Attribute attribute(const char* name, double value) {
  return {name, static_cast<float>(value)};
}
inline Attribute attribute(const char* name, std::vector<std::int64_t> values) {
  return {name, std::move(values)};
}
inline Attribute attribute(const char* name, std::string value) { return {name, std::move(value)}; }

}  // namespace heed::onnx
