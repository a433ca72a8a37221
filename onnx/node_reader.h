// A node as its operator is made from it: attributes are asked for by name, and what nobody asked
// for is refused, so that nothing a file says is passed over. Internal to onnx.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "operation.h"

namespace heed::onnx {

class NodeReader {
 public:
  /// `opset`: the version of the node's domain. `branch` makes a graph run.
  NodeReader(const Node& node, std::int64_t opset, const std::string& path,
             std::function<Branch(const Graph&)> branch)
      : node_(node), opset_(opset), path_(path), branch_(std::move(branch)) {}

  const Node& node() const { return node_; }
  std::int64_t opset() const { return opset_; }

  /// Throws FormatError unless so many inputs are there; the first `least` may not be left out.
  void inputs(std::size_t least, std::size_t most) const;
  /// Throws FormatError for more results than so many; those that no node uses are left out.
  void outputs(std::size_t most) const;
  bool has_input(std::size_t i) const {
    return i < node_.inputs.size() && !node_.inputs[i].empty();
  }
  std::size_t input_count() const { return node_.inputs.size(); }
  bool has_output(std::size_t i) const {
    return i < node_.outputs.size() && !node_.outputs[i].empty();
  }
  std::size_t output_count() const { return node_.outputs.size(); }

  // An attribute, or what holds where it is not there. Throw FormatError for one of another type.
  bool has(const char* name);
  std::int64_t integer(const char* name, std::int64_t otherwise);
  std::int64_t integer(const char* name);
  bool truth(const char* name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  double number(const char* name, double otherwise);
  std::string text(const char* name, const std::string& otherwise);
  std::vector<std::int64_t> integers(const char* name,
                                     const std::vector<std::int64_t>& otherwise = {});
  std::vector<float> numbers(const char* name);
  std::vector<std::string> texts(const char* name);
  const TensorValue& tensor(const char* name);
  /// A graph without inputs of its own, and one with any. Throw FormatError.
  Branch branch(const char* name);
  Branch body(const char* name);
  /// Asked for, and of no consequence here.
  void ignore(const char* name) { asked_.insert(name); }
  /// Throws FormatError unless it is this, or not there.
  void only(const char* name, std::int64_t known);
  void only(const char* name, const std::string& known);
  void none(const char* name);

  /// Throws FormatError for attributes that nobody asked for.
  void finish() const;
  /// FormatError: PATH: at byte N: onnx: Gemm "/fc1/Gemm": TEXT
  [[noreturn]] void fail(const std::string& text) const;

 private:
  template <class T>
  const T* find(const char* name);

  const Node& node_;
  std::int64_t opset_;
  const std::string& path_;
  std::function<Branch(const Graph&)> branch_;
  std::set<std::string, std::less<>> asked_;
};

/// Gemm "/fc1/Gemm", or where it has no name the first of its results.
std::string label(const Node& node);

}  // namespace heed::onnx
