// A graph as it runs: nodes in their order with numbered places for values instead of names, each
// freed after its last use; what depends on nothing but small constants is computed once. Internal
// to onnx.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../core/scope.h"
#include "node_reader.h"

namespace heed::onnx {

/// What a plan is made in.
struct PlanContext {
  const std::string& path;                            ///< for errors
  const std::map<std::string, std::int64_t>& opsets;  ///< versions by domains
  const Part* owner = nullptr;                        ///< errors of a run begin with its path
  /// A tensor that floats becomes the module's: the place where its handle stays, null where it
  /// remains a constant. `uses`: by which operators, as which of their inputs: "BatchNormalization
  /// 3".
  std::function<const Tensor*(TensorValue&, const std::set<std::string>& uses)> adopt;
};

class Plan {
 public:
  /// `outer`: whether a name is known around this graph. Throws FormatError for a value that is
  /// made twice or used before it is made (so also for cycles), results that nobody makes, an
  /// operator that is not known, and what makers refuse.
  Plan(Graph& graph, const PlanContext& context,
       const std::function<bool(const std::string&)>& outer = {});

  /// Inputs in the order of inputs(), then what is captured.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, const Run& run) const;

  /// Names, without those that the file has numbers for.
  const std::vector<std::string>& inputs() const { return input_names_; }
  const std::vector<std::string>& captured() const { return captured_; }
  std::size_t outputs() const { return outputs_.size(); }
  /// Nodes that run each time.
  std::size_t steps() const { return steps_.size(); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // For errors and profiles.
  class StepPart final : public Part {
   public:
    StepPart(const Part* owner, std::string label, std::string op)
        : owner_(owner), label_(std::move(label)), op_(std::move(op)) {}
    std::string path() const override;
    std::string class_name() const override { return op_; }

   private:
    const Part* owner_;
    std::string label_, op_;
  };
  struct Step {
    Operation operation;
    std::vector<std::size_t> inputs, outputs, frees;
    std::unique_ptr<StepPart> part;
  };

  void take_inputs(const Graph& graph);
  void take_initializers(Graph& graph);
  void add(Node& node);
  void take_outputs(const Graph& graph);
  void plan_freeing();
  /// The operation of a node; what its graphs capture is added to `inputs`.
  Operation made(Node& node, std::vector<std::size_t>& inputs);
  /// True when the node's results are constants now, of runs in f64, too.
  bool fold(const Node& node, const Step& step);
  Tensor constant_in(const Run& run, std::size_t place, const Tensor& given) const;
  /// Whether it is a constant or a tensor of the module, or a view of one.
  bool holds(const Array& array) const;
  std::size_t new_value(const std::string& name, std::uint64_t place);
  /// The place of a value that is known here or around.
  std::size_t find(const std::string& name);
  [[noreturn]] void fail(std::uint64_t place, const std::string& text) const;

  const PlanContext* context_;  // while it is made
  const std::function<bool(const std::string&)>* outer_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::map<std::string, std::set<std::string>> uses_;
  std::set<std::string> made_;  // by any node, for texts

  std::vector<std::string> input_names_, captured_;
  std::vector<std::size_t> inputs_, captured_places_, outputs_;
  std::map<std::size_t, Tensor> constants_;
  std::map<std::size_t, Tensor> wide_;  ///< those that were folded of what floats, in f64
  std::vector<std::pair<std::size_t, const Tensor*>> state_;
  std::vector<Step> steps_;
  std::size_t count_ = 0;
};

}  // namespace heed::onnx
