// Step: one operator of a trace as it is written into a graph, with what it was in each pass. A
// writer of an operator is a function of a Step; a family of them stands in each write_*.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph_writer.h"

namespace heed::onnx {

class Step {
 public:
  Step(GraphWriter& graph, std::size_t call) : to(graph), call_(call) {}

  const std::string& op() const { return first().op; }
  std::size_t inputs() const { return first().inputs.size(); }
  std::size_t results() const { return first().outputs.size(); }
  bool has(std::size_t input) const;
  /// The value's name; empty where it was left out.
  std::string in(std::size_t input) const;
  /// An operand that was said, "condition"; empty where there is none.
  std::string operand(const char* name) const;
  Index operand_id(const char* name) const;
  const Array& array(std::size_t input, std::size_t pass = 0) const;
  const Array& result(std::size_t output = 0, std::size_t pass = 0) const;
  DType dtype(std::size_t input = 0) const { return array(input).dtype(); }
  Index rank(std::size_t input = 0) const { return array(input).rank(); }

  /// What was said; must be the same in every pass, else the operator is refused.
  Index number(const char* name) const;
  double real(const char* name) const;
  std::vector<Index> numbers(const char* name) const;
  /// An axis of the first input (or of a rank given), from 0.
  Index axis(const char* name, Index rank = -1) const;
  /// In each pass.
  std::vector<Index> passes(const char* name) const;
  std::vector<Index> passes_of(const char* name, std::size_t pass) const;
  std::vector<Index> sizes(std::size_t input, Index axis) const;
  std::vector<Index> result_sizes(Index axis, std::size_t output = 0) const;

  void out(const std::string& name, std::size_t output = 0) const;

  GraphWriter& to;

 private:
  const TracedCall& first() const { return to.traces()[0].calls[call_]; }
  const Said::Value& said(const char* name, std::size_t pass) const;

  std::size_t call_;
};

using WriteStep = void (*)(const Step&);
using Writers = std::map<std::string, WriteStep>;

void add_elementwise(Writers& to);
void add_arithmetic(Writers& to);
void add_reductions(Writers& to);
void add_shapes(Writers& to);
void add_indexing(Writers& to);
void add_products(Writers& to);
void add_normalisers(Writers& to);
void add_windows(Writers& to);
void add_recurrent(Writers& to);
void add_scans(Writers& to);

}  // namespace heed::onnx
