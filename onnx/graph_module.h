// A graph of ONNX as a module: it runs on heed's operators, and can be trained, converted, saved
// and loaded as any other.
//
//   const auto model = onnx::load("resnet.onnx");        // in evaluation mode
//   const Tensor y = (*model)(x);
//   const auto all = model->run({{"ids", ids}, {"mask", mask}});
//   model->train();
//   optim::Adam optimizer(model->parameters(), {.lr = 1e-4});
//
// Numbers that float and that the file begins with are parameters under their names
// ("encoder.layers.0.norm1.weight"), but for single numbers and averages of a batch normalisation,
// which are buffers; what PyTorch held as a buffer is a parameter, too, since the file does not say
// which is which: freeze it, or name it in LoadOptions. Names that no module can have (with two
// points in a row, say) have '_' for '.'. An average that the file shares with something else, as
// where an exporter merged equal numbers, is a buffer of its own, "bn.weight_variance". f16 and bf16 are computed in f32, integers of all widths
// in i64. Dropout drops and batch normalisation takes the batch's averages in training mode only.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../nn/module.h"
#include "model.h"

namespace heed::onnx {

class Plan;
class StateFolder;

struct LoadOptions {
  /// Which tensors of the file are trained, of those that float; the others are buffers. None: all
  /// of rank 1 and more.
  std::function<bool(const TensorValue& tensor)> trained = {};
};

class GraphModule : public nn::Module {
 public:
  /// `path` is for errors. Throws FormatError for a graph that makes no sense (a value that is made
  /// twice, or used before it is made), and for an operator or an attribute that is not supported,
  /// which it names with the node.
  explicit GraphModule(Model model, const LoadOptions& options = {},
                       const std::string& path = "model");
  ~GraphModule() override;

  /// The only result, of inputs in their order. Throws ValueError where there are other numbers of
  /// either.
  template <std::same_as<Tensor>... Inputs>
  Tensor operator()(const Inputs&... inputs) const {
    return run_one({inputs...});
  }
  /// All results. Throws ValueError for another number of inputs, DTypeError and ShapeError for one
  /// that is not what the file says of it; errors of an operator begin with its node.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const;
  /// The same by names. Throws ValueError for names that are missing, unknown or there twice.
  nn::NamedTensors run(const nn::NamedTensors& inputs) const;

  /// What goes in and out. A size that has a name is the same wherever it has it.
  const std::vector<ValueInfo>& inputs() const { return inputs_; }
  const std::vector<ValueInfo>& outputs() const { return outputs_; }
  /// How many nodes run each time: constants are computed once.
  std::size_t steps() const;

 private:
  const Tensor* adopt(TensorValue& tensor, const std::set<std::string>& uses,
                      const LoadOptions& options);
  Tensor run_one(const std::vector<Tensor>& inputs) const;
  std::vector<Tensor> run_checked(const std::vector<Tensor>& inputs) const;
  std::optional<DType> floating(const std::vector<Tensor>& inputs) const;
  void check(const std::vector<Tensor>& inputs, std::optional<DType> floating) const;

  std::vector<ValueInfo> inputs_, outputs_;
  std::map<std::string, StateFolder*> folders_;
  std::set<std::string> taken_;                           // names of folders and tensors
  std::vector<std::pair<DType, const Tensor*>> in_file_;  // dtypes that the state had there
  std::unique_ptr<Plan> plan_;
};

/// Reads a file. Throws what read_model() and GraphModule do.
std::unique_ptr<GraphModule> load(const std::string& path, const LoadOptions& options = {});

}  // namespace heed::onnx
