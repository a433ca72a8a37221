#include "graph_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "../core/error.h"
#include "../core/quoted.h"
#include "plan.h"
#include "read_model.h"

namespace heed::onnx {

/// What stands between two points of names: "layers", "0".
class StateFolder : public nn::Module {
 public:
  using Module::buffer;
  using Module::child;
  using Module::parameter;
};

namespace {

// Inputs of operators that are settings and no data: nobody would train them.
const std::set<std::string> kSettings = {
    "Clip 1",   "Clip 2",   "Pad 2",      "Dropout 1", "Range 0",  "Range 1", "Range 2",
    "Resize 1", "Resize 2", "Upsample 1", "OneHot 1",  "OneHot 2", "Pow 1"};
const std::set<std::string> kAverages = {"BatchNormalization 3", "BatchNormalization 4"};

bool within(const std::set<std::string>& uses, const std::set<std::string>& known) {
  return !uses.empty() && std::includes(known.begin(), known.end(), uses.begin(), uses.end());
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char each : name) {
    if (each == '.') {
      out.emplace_back();
    } else {
      out.back() += each;
    }
  }
  return out;
}

std::string shape_text(const std::vector<Dim>& dims) {
  std::string out;
  for (const Dim& dim : dims) {
    if (!out.empty()) out += ", ";
    const auto* const size = std::get_if<std::int64_t>(&dim);
    const std::string own = size == nullptr ? one_line(std::get<std::string>(dim)) : "";
    out += size != nullptr ? fmt::format("{}", *size) : own.empty() ? "?" : own;
  }
  return "[" + out + "]";
}

template <class Values>
std::string names_of(const Values& values) {
  std::vector<std::string_view> names;
  names.reserve(values.size());
  for (const ValueInfo& value : values) names.push_back(value.name);
  return quoted_list(names);
}

}  // namespace

GraphModule::GraphModule(Model model, const LoadOptions& options, const std::string& path) {
  const PlanContext context{.path = path,
                            .opsets = model.opsets,
                            .owner = this,
                            .adopt = [&](TensorValue& tensor, const std::set<std::string>& uses) {
                              return adopt(tensor, uses, options);
                            }};
  plan_ = std::make_unique<Plan>(model.graph, context);
  const std::set<std::string_view> taken(plan_->inputs().begin(), plan_->inputs().end());
  for (ValueInfo& value : model.graph.inputs) {
    if (taken.contains(value.name)) inputs_.push_back(std::move(value));
  }
  outputs_ = std::move(model.graph.outputs);
}
GraphModule::~GraphModule() = default;

std::size_t GraphModule::steps() const { return plan_->steps(); }

const Tensor* GraphModule::adopt(TensorValue& tensor, const std::set<std::string>& uses,
                                 const LoadOptions& options) {
  if (within(uses, kSettings)) return nullptr;
  std::vector<std::string> parts = parts_of(tensor.name);
  std::string above;
  bool fits = !taken_.contains(tensor.name);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    fits = fits && !parts[i].empty() && (!taken_.contains(above) || folders_.contains(above));
    above += (i == 0 ? "" : ".") + parts[i];
  }
  if (!fits || parts.size() > 64) {
    std::string flat = tensor.name;
    std::replace(flat.begin(), flat.end(), '.', '_');
    while (taken_.contains(flat)) flat += '_';
    parts = {flat};
  }
  // The module's own memory, which training writes.
  Array own = std::move(tensor.array);
  if (!own.unique()) own = own.clone();
  const DType in_file = own.dtype();
  const bool averages = within(uses, kAverages);
  const bool trained =
      !averages &&
      (options.trained ? options.trained({.name = tensor.name, .type = tensor.type, .array = own})
                       : own.rank() > 0);
  StateFolder* folder = nullptr;
  std::string name;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    name += (i == 0 ? "" : ".") + parts[i];
    StateFolder*& next = folders_[name];
    if (next == nullptr) {
      next =
          folder == nullptr ? &child<StateFolder>(parts[i]) : &folder->child<StateFolder>(parts[i]);
      taken_.insert(name);
    }
    folder = next;
  }
  taken_.insert(name.empty() ? parts.back() : name + "." + parts.back());
  const std::string& last = parts.back();
  const Tensor& out = folder == nullptr
                          ? (trained ? parameter(last, own) : buffer(last, own))
                          : (trained ? folder->parameter(last, own) : folder->buffer(last, own));
  in_file_.emplace_back(in_file, &out);
  return &out;
}

// What floats is all of one dtype, once something is not of the dtype that the file says: the
// module was converted, or, where it has no numbers of its own, the inputs were.
std::optional<DType> GraphModule::floating(const std::vector<Tensor>& inputs) const {
  for (const auto& [in_file, tensor] : in_file_) {
    if (tensor->dtype() != in_file) return tensor->dtype();
  }
  if (!in_file_.empty()) return {};
  for (std::size_t i = 0; i < inputs.size() && i < inputs_.size(); ++i) {
    const auto said = dtype_of(inputs_[i].type);
    if (said && is_floating(*said) && inputs[i].defined() && is_floating(inputs[i].dtype()) &&
        inputs[i].dtype() != *said)
      return inputs[i].dtype();
  }
  return {};
}

void GraphModule::check(const std::vector<Tensor>& inputs, std::optional<DType> floats) const {
  if (inputs.size() != inputs_.size()) {
    throw ValueError(fmt::format("onnx: {} inputs, where the graph has {}: {}", inputs.size(),
                                 inputs_.size(), names_of(inputs_)));
  }
  std::map<std::string, std::pair<Index, std::string>> sizes;  // of names, and where they come from
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueInfo& said = inputs_[i];
    const std::string what = "onnx: input " + in_quotes(said.name);
    if (!inputs[i].defined()) throw GradError(what + " is undefined");
    const auto type = dtype_of(said.type);
    const Run run{.floating = floats};
    if (type && run.dtype(*type) != inputs[i].dtype()) {
      throw DTypeError(fmt::format("{} must be {}, not {}", what, heed::name(run.dtype(*type)),
                                   describe(inputs[i].array())));
    }
    if (!said.shape) continue;
    const Shape& shape = inputs[i].shape();
    const std::string wanted = shape_text(*said.shape);
    bool fits = shape.rank() == static_cast<Index>(said.shape->size());
    for (Index axis = 0; fits && axis < shape.rank(); ++axis) {
      const Dim& dim = (*said.shape)[static_cast<std::size_t>(axis)];
      if (const auto* const size = std::get_if<std::int64_t>(&dim)) {
        fits = shape[axis] == *size;
      } else if (const std::string& name = std::get<std::string>(dim); !name.empty()) {
        const auto known = sizes.emplace(name, std::pair(shape[axis], said.name)).first;
        if (known->second.first != shape[axis]) {
          throw ShapeError(fmt::format("{} is {}, where {} is {}; it is {} in input {}", what,
                                       to_string(shape), one_line(name), shape[axis],
                                       known->second.first, in_quotes(known->second.second)));
        }
      }
    }
    if (!fits) {
      throw ShapeError(
          fmt::format("{} must be {}, not {}", what, wanted, describe(inputs[i].array())));
    }
  }
}

std::vector<Tensor> GraphModule::run_checked(const std::vector<Tensor>& inputs) const {
  const std::optional<DType> floats = floating(inputs);
  check(inputs, floats);
  std::vector<Tensor> out = plan_->run(inputs, {.training = training(), .floating = floats});
  out[0] = forwarded(out[0]);
  return out;
}

std::vector<Tensor> GraphModule::run(const std::vector<Tensor>& inputs) const {
  const Scope scope(*this);
  return run_checked(inputs);
}

nn::NamedTensors GraphModule::run(const nn::NamedTensors& inputs) const {
  const Scope scope(*this);
  std::vector<Tensor> in_order(inputs_.size());
  for (const auto& [name, tensor] : inputs) {
    const auto found =
        std::find_if(inputs_.begin(), inputs_.end(),
                     [&, &name = name](const ValueInfo& value) { return value.name == name; });
    if (found == inputs_.end()) {
      throw ValueError(fmt::format("onnx: no input is named {}; there are {}", in_quotes(name),
                                   names_of(inputs_)));
    }
    Tensor& place = in_order[static_cast<std::size_t>(found - inputs_.begin())];
    if (place.defined()) throw ValueError("onnx: input " + in_quotes(name) + " is there twice");
    place = tensor;
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!in_order[i].defined())
      throw ValueError("onnx: input " + in_quotes(inputs_[i].name) + " is missing");
  }
  std::vector<Tensor> results = run_checked(in_order);
  nn::NamedTensors out;
  for (std::size_t i = 0; i < results.size(); ++i)
    out.emplace_back(outputs_[i].name, std::move(results[i]));
  return out;
}

Tensor GraphModule::run_one(const std::vector<Tensor>& inputs) const {
  const Scope scope(*this);
  if (outputs_.size() != 1) {
    throw ValueError(fmt::format("onnx: the graph has {} results, {}: call run()", outputs_.size(),
                                 names_of(outputs_)));
  }
  return run_checked(inputs)[0];
}

std::unique_ptr<GraphModule> load(const std::string& path, const LoadOptions& options) {
  auto out = std::make_unique<GraphModule>(read_model(path), options, path);
  out->eval();
  return out;
}

}  // namespace heed::onnx
