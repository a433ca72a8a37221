#include "plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"
#include "../core/quoted.h"
#include "fuse_attention.h"
#include "operators/operators.h"
#include "own_averages.h"

namespace heed::onnx {
namespace {

// Versions of ONNX's own operators that are known; before 7 they broadcast in another way.
constexpr std::int64_t kOldest = 7, kNewest = 24;

// Constants are folded as far as shapes need it: so many numbers of rank 0 and 1, by operators that
// make no more of them. So a file's size bounds what is made of it before it runs.
constexpr Index kFolded = 64;
const std::set<std::string, std::less<>> kFolding = {"Abs",
                                                     "Add",
                                                     "And",
                                                     "Cast",
                                                     "Ceil",
                                                     "Concat",
                                                     "Div",
                                                     "Equal",
                                                     "Exp",
                                                     "Floor",
                                                     "Gather",
                                                     "Greater",
                                                     "GreaterOrEqual",
                                                     "Identity",
                                                     "Less",
                                                     "LessOrEqual",
                                                     "Log",
                                                     "Max",
                                                     "Min",
                                                     "Mod",
                                                     "Mul",
                                                     "Neg",
                                                     "Not",
                                                     "Or",
                                                     "Pow",
                                                     "Reciprocal",
                                                     "ReduceMax",
                                                     "ReduceMin",
                                                     "ReduceProd",
                                                     "ReduceSum",
                                                     "Reshape",
                                                     "Round",
                                                     "Shape",
                                                     "Size",
                                                     "Slice",
                                                     "Sqrt",
                                                     "Squeeze",
                                                     "Sub",
                                                     "Transpose",
                                                     "Unsqueeze",
                                                     "Where"};

// The names of values that nodes use, also those in their graphs, with the operators that do, and
// how often.
void collect_uses(const Graph& graph, std::map<std::string, std::set<std::string>>& to,
                  std::map<std::string, std::size_t>& counts) {
  for (const Node& node : graph.nodes) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      to[node.inputs[i]].insert(fmt::format("{} {}", node.op_type, i)), ++counts[node.inputs[i]];
    for (const Attribute& attribute : node.attributes) {
      const auto* const own = std::get_if<std::shared_ptr<Graph>>(&attribute.value);
      if (own != nullptr && *own != nullptr) collect_uses(**own, to, counts);
    }
  }
  for (const ValueInfo& value : graph.outputs)
    to[value.name].insert("a result"), ++counts[value.name];
}

}  // namespace

std::string Plan::StepPart::path() const {
  const std::string above = owner_ == nullptr ? "" : owner_->path();
  return above.empty() ? label_ : above + ": " + label_;
}

Plan::Plan(Graph& graph, const PlanContext& context,
           const std::function<bool(const std::string&)>& outer)
    : context_(&context), outer_(&outer) {
  own_averages(graph);
  std::map<std::string, std::size_t> counts;
  collect_uses(graph, uses_, counts);
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.outputs) {
      if (!name.empty() && !made_.insert(name).second)
        fail(node.place, "the value " + in_quotes(name) + " is made twice");
    }
  }
  for (const Node& node : graph.nodes) {
    if (node.domain == kFusedDomain)
      fail(node.place, "a node of the domain " + in_quotes(node.domain));
  }
  const auto version = context.opsets.find("");
  if (version != context.opsets.end()) fuse_attention(graph, version->second, counts);
  take_initializers(graph);
  take_inputs(graph);
  for (Node& node : graph.nodes) add(node);
  take_outputs(graph);
  plan_freeing();
  places_.clear();
  uses_.clear();
  made_.clear();
  context_ = nullptr;
  outer_ = nullptr;
}

void Plan::fail(std::uint64_t place, const std::string& text) const {
  throw FormatError(context_->path, place, "onnx: " + text);
}

std::size_t Plan::new_value(const std::string& name, std::uint64_t place) {
  if (name.empty()) fail(place, "a value without a name");
  if (!places_.emplace(name, count_).second)
    fail(place, "the value " + in_quotes(name) + " is made twice");
  return count_++;
}

std::size_t Plan::find(const std::string& name) {
  const auto found = places_.find(name);
  if (found != places_.end()) return found->second;
  if (!*outer_ || !(*outer_)(name)) return kNone;
  captured_.push_back(name);
  captured_places_.push_back(count_);
  places_.emplace(name, count_);
  return count_++;
}

void Plan::take_initializers(Graph& graph) {
  for (TensorValue& tensor : graph.initializers) {
    const std::size_t place = new_value(tensor.name, 0);
    const Tensor* state = nullptr;
    if (is_floating(tensor.array.dtype())) state = context_->adopt(tensor, uses_[tensor.name]);
    if (state != nullptr) {
      state_.emplace_back(place, state);
    } else {
      constants_.emplace(place, tensor.array);
    }
  }
}

// Files of IR version 3 list initialisers among the inputs, too.
void Plan::take_inputs(const Graph& graph) {
  std::set<std::string_view> numbers;
  for (const TensorValue& tensor : graph.initializers) numbers.insert(tensor.name);
  for (const ValueInfo& value : graph.inputs) {
    if (numbers.contains(value.name)) continue;
    inputs_.push_back(new_value(value.name, 0));
    input_names_.push_back(value.name);
  }
}

void Plan::take_outputs(const Graph& graph) {
  if (graph.outputs.empty()) fail(0, "the graph has no results");
  for (const ValueInfo& value : graph.outputs) {
    const std::size_t place = find(value.name);
    if (place == kNone) fail(0, "nothing makes the result " + in_quotes(value.name));
    outputs_.push_back(place);
  }
}

Operation Plan::made(Node& node, std::vector<std::size_t>& inputs) {
  if (node.domain == kFusedDomain) {
    NodeReader reader(node, 0, context_->path, {});
    return fused_attention(reader);
  }
  const auto& opsets = context_->opsets;
  const auto version = opsets.find(node.domain);
  if (version == opsets.end()) {
    fail(node.place, fmt::format("{}: the file imports no operators of {}", label(node),
                                 in_quotes(node.domain)));
  }
  const auto maker = node.domain.empty() ? makers().find(node.op_type) : makers().end();
  if (maker == makers().end()) {
    fail(node.place, fmt::format("{}: the operator {} of {} is not supported", label(node),
                                 in_quotes(node.op_type),
                                 node.domain.empty() ? "ONNX" : in_quotes(node.domain)));
  }
  if (version->second < kOldest || version->second > kNewest) {
    fail(node.place, fmt::format("version {} of ONNX's operators is not supported, {} to {} are",
                                 version->second, kOldest, kNewest));
  }
  const std::function<bool(const std::string&)> known = [this](const std::string& name) {
    return places_.contains(name) || (*outer_ && (*outer_)(name));
  };
  NodeReader reader(node, version->second, context_->path, [&](const Graph& graph) {
    Graph own = graph;
    const auto plan = std::make_shared<Plan>(own, *context_, known);
    for (const std::string& name : plan->captured()) inputs.push_back(find(name));
    return Branch{
        .run = [plan](const std::vector<Tensor>& in, const Run& run) { return plan->run(in, run); },
        .inputs = plan->inputs().size(),
        .captured = plan->captured(),
        .outputs = plan->outputs()};
  });
  Operation out = maker->second(reader);
  reader.finish();
  return out;
}

Tensor Plan::constant_in(const Run& run, std::size_t place, const Tensor& given) const {
  if (run.floating == DType::f64) {
    const auto wide = wide_.find(place);
    if (wide != wide_.end()) return wide->second;
  }
  const DType dtype = run.dtype(given.dtype());
  return dtype == given.dtype() ? given : to(given, dtype);
}

bool Plan::fold(const Node& node, const Step& step) {
  const bool constant = node.op_type == "Constant";
  if (!constant && !kFolding.contains(node.op_type)) return false;
  const Run in_f64{.floating = DType::f64};
  std::vector<Tensor> in, wide_in;  // wide_in: as a run in f64 has them
  bool floats = false;
  Index numbers = 0;
  for (const std::size_t place : step.inputs) {
    if (place == kNone) {
      in.emplace_back();
      wide_in.emplace_back();
      continue;
    }
    const auto known = constants_.find(place);
    if (known == constants_.end() || known->second.rank() > 1) return false;
    numbers += known->second.numel();
    in.push_back(known->second);
    wide_in.push_back(numbers > kFolded ? Tensor() : constant_in(in_f64, place, known->second));
    floats = floats || is_floating(known->second.dtype()) || wide_.contains(place);
  }
  if (!constant && (in.empty() || numbers > kFolded)) return false;
  std::vector<Tensor> out, wide;
  try {
    const NoGrad no_grad;
    out = step.operation(in, Run());
    for (const Tensor& each : out) floats = floats || (each.defined() && is_floating(each.dtype()));
    if (floats && !constant) wide = step.operation(wide_in, in_f64);
  } catch (const FormatError&) {
    throw;
  } catch (const Error& error) {
    fail(node.place, label(node) + ": " + error.message());
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i] == kNone || i >= out.size()) continue;
    constants_.emplace(step.outputs[i], out[i]);
    if (i < wide.size()) wide_.emplace(step.outputs[i], wide[i]);
  }
  return true;
}

void Plan::add(Node& node) {
  Step step;
  for (const std::string& name : node.inputs) {
    const std::size_t place = name.empty() ? kNone : find(name);
    if (place == kNone && !name.empty()) {
      fail(node.place,
           fmt::format("{}: its input {} is {}", label(node), in_quotes(name),
                       made_.contains(name)
                           ? "made by a later node, or by itself: nodes must be in order"
                           : "made by no node"));
    }
    step.inputs.push_back(place);
  }
  std::vector<std::string> names = node.outputs;
  for (std::string& name : node.outputs) {  // what nobody uses need not be known
    if (!name.empty() && !uses_.contains(name)) name.clear();
  }
  step.operation = made(node, step.inputs);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t place = names[i].empty() ? kNone : new_value(names[i], node.place);
    step.outputs.push_back(node.outputs[i].empty() ? kNone : place);
  }
  if (fold(node, step)) return;
  step.part = std::make_unique<StepPart>(context_->owner, label(node), node.op_type);
  steps_.push_back(std::move(step));
}

void Plan::plan_freeing() {
  std::vector<bool> kept(count_, false);
  for (const std::size_t place : outputs_) kept[place] = true;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    for (const auto* const places : {&step.inputs, &step.outputs}) {
      for (const std::size_t place : *places) {
        if (place == kNone || kept[place]) continue;
        kept[place] = true;
        step.frees.push_back(place);
      }
    }
  }
}

bool Plan::holds(const Array& array) const {
  const auto same = [&array](const auto& own) { return own.second.array().shares_storage(array); };
  return std::any_of(constants_.begin(), constants_.end(), same) ||
         std::any_of(wide_.begin(), wide_.end(), same) ||
         std::any_of(state_.begin(), state_.end(), [&array](const auto& own) {
           return own.second->array().shares_storage(array);
         });
}

std::vector<Tensor> Plan::run(const std::vector<Tensor>& inputs, const Run& run) const {
  std::vector<Tensor> values(count_);
  for (const auto& [place, given] : constants_) values[place] = constant_in(run, place, given);
  for (const auto& [place, state] : state_) values[place] = *state;
  for (std::size_t i = 0; i < inputs_.size(); ++i) values[inputs_[i]] = inputs[i];
  for (std::size_t i = 0; i < captured_places_.size(); ++i)
    values[captured_places_[i]] = inputs[inputs_.size() + i];
  for (const Step& step : steps_) {
    const Scope scope(*step.part);
    std::vector<Tensor> in;
    in.reserve(step.inputs.size());
    for (const std::size_t place : step.inputs)
      in.push_back(place == kNone ? Tensor() : values[place]);
    std::vector<Tensor> out = step.operation(in, run);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] == kNone) continue;
      if (i >= out.size() || !out[i].defined())
        throw ValueError(fmt::format("result {} is not supported", i));
      values[step.outputs[i]] = std::move(out[i]);
    }
    for (const std::size_t place : step.frees) values[place] = Tensor();
  }
  std::vector<Tensor> out;
  for (const std::size_t place : outputs_)  // the caller may write into results, not into ours
    out.push_back(holds(values[place].array()) ? clone(values[place]) : values[place]);
  return out;
}

}  // namespace heed::onnx
