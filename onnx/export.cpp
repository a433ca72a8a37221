#include "export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "../core/error.h"
#include "../core/generator.h"
#include "../core/quoted.h"
#include "step.h"
#include "write_model.h"

namespace heed::onnx {
namespace {

constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kIrVersion = 8;

// In evaluation mode while it lives.
class Evaluating {
 public:
  explicit Evaluating(nn::Module& module) : modules_(module.modules()) {
    for (const nn::Module* each : modules_) training_.push_back(each->training());
    module.eval();
  }
  ~Evaluating() {
    for (std::size_t i = 0; i < modules_.size(); ++i) modules_[i]->train(training_[i]);
  }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  std::vector<nn::Module*> modules_;  // parents first
  std::vector<bool> training_;
};

const Writers& writers() {
  static const Writers all = [] {
    Writers out;
    for (const auto add :
         {add_elementwise, add_arithmetic, add_reductions, add_shapes, add_indexing, add_products,
          add_normalisers, add_windows, add_recurrent, add_scans}) {
      add(out);
    }
    return out;
  }();
  return all;
}

void check_inputs(const std::vector<Input>& inputs) {
  std::set<std::string> names;
  for (const Input& input : inputs) {
    if (input.name.empty() || !names.insert(input.name).second) {
      throw ValueError(
          fmt::format("onnx: an input's name {} is empty or taken", in_quotes(input.name)));
    }
    if (!input.example.defined()) {
      throw GradError(
          fmt::format("onnx: the example of input {} is undefined", in_short(input.name)));
    }
    if (static_cast<Index>(input.axes.size()) > input.example.rank()) {
      throw IndexError(fmt::format("onnx: {} names of axes for input {}, {}", input.axes.size(),
                                   in_short(input.name), describe(input.example)));
    }
    if (input.example.numel() == 0) {
      throw ShapeError(fmt::format("onnx: the example of input {} is empty: {}",
                                   in_short(input.name), describe(input.example)));
    }
  }
}

// Every value of a graph has a name of its own.
void check_names(const std::vector<Input>& inputs, const std::vector<std::string>& outputs,
                 const Trace& trace) {
  std::map<std::string, const char*> taken;
  for (const TracedValue& value : trace.values) {
    if (value.kind == TracedValue::Kind::parameter) taken.emplace(value.name, "a parameter");
  }
  const auto take = [&taken](const char* what, const std::string& name) {
    if (name.empty()) throw ValueError(fmt::format("onnx: the name of {} is empty", what));
    const auto [known, is_new] = taken.emplace(name, what);
    if (is_new) return;
    throw ValueError(
        fmt::format("onnx: {} has the name {} of {}", what, in_quotes(name), known->second));
  };
  for (const Input& input : inputs) take("an input", input.name);
  for (const std::string& output : outputs) take("an output", output);
}

// The named axes, and the largest that an example has of each.
Sizes sizes_of(const std::vector<Input>& inputs, const std::map<std::string, Index>& largest) {
  std::vector<std::string> names;
  std::vector<Index> least;
  for (const Input& input : inputs) {
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis) {
      if (input.axes[axis].empty()) continue;
      const Index size = input.example.size(static_cast<Index>(axis));
      const auto known = std::find(names.begin(), names.end(), input.axes[axis]);
      if (known == names.end()) {
        names.push_back(input.axes[axis]);
        least.push_back(size);
      } else {
        Index& most = least[static_cast<std::size_t>(known - names.begin())];
        most = std::max(most, size);
      }
    }
  }
  for (const auto& [name, size] : largest) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw ValueError(fmt::format(
        "onnx: the largest {} is {}, but no input has an axis of this name", name, size));
  }
  std::vector<Index> most;
  for (const std::string& name : names) {
    const auto bound = largest.find(name);
    most.push_back(bound == largest.end() ? std::numeric_limits<Index>::max() : bound->second);
  }
  return Sizes::choose(std::move(names), least, most);
}

// The ends of what may be drawn, in or out as drawn() says. They change places from pass to pass,
// so that an order of them is none of the input.
void place_ends(std::vector<double>& values, const std::vector<double>& numbers, double least,
                double most, std::size_t pass) {
  if (pass != 1 && pass != 2) {
    const bool rising = pass % 2 == 1;
    (rising ? values.front() : values.back()) = least;
    (rising ? values.back() : values.front()) = most;
    return;
  }
  const double left_out = pass == 1 ? most : least, taken = pass == 1 ? least : most;
  double instead = taken;  // what is next to it
  for (const double number : numbers) {
    if (number != left_out && std::fabs(number - left_out) < std::fabs(instead - left_out))
      instead = number;
  }
  std::replace(values.begin(), values.end(), left_out, instead);
  values.back() = taken;
}

// Numbers like the example's, of another shape: what follows from them must differ from pass to
// pass. Whole numbers are such as it has, or 1 to the only one that it has; others lie between two
// of its. The second pass lacks the largest whole number, the third the smallest, all others have
// both: what either decides, as max(lengths) does, follows no rule of the sizes.
Array drawn(const Input& input, const Shape& shape, std::size_t pass, Generator& generator) {
  const Array from = input.example.array().to(DType::f64).contiguous();
  const auto numbers = from.to_vector<double>();
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const bool one = *least == *most;
  const DType dtype = input.example.dtype();
  if (dtype == DType::i64 && one && *most <= 1) {
    throw ValueError(
        fmt::format("onnx: the example of input {} holds {} alone: it needs two different numbers, "
                    "or one above "
                    "1, for what follows from them to be told",
                    input.name, *most));
  }
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  const auto any = [&] {
    return numbers[static_cast<std::size_t>(generator.below(static_cast<Index>(numbers.size())))];
  };
  for (double& value : values) {
    if (dtype == DType::boolean) {
      value = generator.uniform() < 0.7 ? 1 : 0;
    } else if (dtype == DType::i64) {
      value = one ? 1 + static_cast<double>(generator.below(static_cast<Index>(*most))) : any();
    } else {
      const double part = generator.uniform();
      value = one ? *most + 0.2 * (part - 0.5) : part * any() + (1 - part) * any();
    }
  }
  if (dtype == DType::i64) place_ends(values, numbers, one ? 1 : *least, *most, pass);
  return Array::from(values, shape).to(dtype);
}

std::vector<Tensor> drawn_inputs(const std::vector<Input>& inputs, const Sizes& sizes,
                                 std::size_t pass, Generator& generator) {
  std::vector<Tensor> out;
  for (const Input& input : inputs) {
    Shape shape = input.example.shape();
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis) {
      const auto known = std::find(sizes.names.begin(), sizes.names.end(), input.axes[axis]);
      if (input.axes[axis].empty()) continue;
      shape[static_cast<Index>(axis)] =
          sizes.passes[pass][static_cast<std::size_t>(known - sizes.names.begin())];
    }
    out.emplace_back(drawn(input, shape, pass, generator));
  }
  return out;
}

std::string place_of(const TracedCall& call) {
  return call.path.empty() ? call.op : fmt::format("{} in module {}", call.op, call.path);
}

std::string text_of(const Sizes& sizes, std::size_t pass) {
  std::string out;
  for (std::size_t i = 0; i < sizes.names.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", sizes.names[i], sizes.passes[pass][i]);
  }
  return out.empty() ? fmt::format("pass {}", pass) : out;
}

bool same_value(const TracedValue& a, const TracedValue& b) {
  return a.kind == b.kind && a.name == b.name && a.place == b.place &&
         a.array.dtype() == b.array.dtype();
}

bool same_call(const Trace& a, const TracedCall& x, const Trace& b, const TracedCall& y) {
  if (x.op != y.op || x.path != y.path || x.inputs != y.inputs || x.outputs != y.outputs ||
      x.operands != y.operands) {
    return false;
  }
  for (const auto* ids : {&x.inputs, &x.outputs}) {
    for (const Index id : *ids) {
      if (id < 0) continue;
      const auto at = static_cast<std::size_t>(id);
      if (!same_value(a.values[at], b.values[at])) return false;
    }
  }
  return true;
}

// Throws where a pass did other things than the first.
void check_same(const std::vector<Trace>& traces, const Sizes& sizes) {
  const Trace& first = traces[0];
  for (std::size_t pass = 1; pass < traces.size(); ++pass) {
    const Trace& other = traces[pass];
    const std::size_t both = std::min(first.calls.size(), other.calls.size());
    std::size_t at = 0;
    while (at < both && same_call(first, first.calls[at], other, other.calls[at])) ++at;
    if (at == first.calls.size() && at == other.calls.size() && first.results == other.results) {
      continue;
    }
    const auto place = [at](const Trace& trace) {
      return at < trace.calls.size() ? place_of(trace.calls[at]) : std::string("the end");
    };
    throw ValueError(fmt::format(
        "onnx: the model does one thing at {} and another at {}: its {} operators and its {} part "
        "at number {}, {} and {}. A loop over an axis can be exported at one size, by an axis "
        "without a name; what numbers decide has no form in a graph",
        text_of(sizes, 0), text_of(sizes, pass), first.calls.size(), other.calls.size(), at,
        place(first), place(other)));
  }
}

// The graph; or the pass that is wanting, to tell two explanations of a size.
std::optional<FurtherPass> write_graph(Graph& graph, const std::vector<Input>& inputs,
                                       const Sizes& sizes, const std::vector<Trace>& traces,
                                       const Names& outputs) {
  GraphWriter to(inputs, sizes, traces, outputs);
  for (std::size_t i = 0; i < traces[0].calls.size(); ++i) {
    const TracedCall& call = traces[0].calls[i];
    to.enter(call.path, call.op);
    const auto writer = writers().find(call.op);
    if (writer == writers().end()) to.refuse("it has no form in ONNX");
    writer->second(Step(to, i));
  }
  graph = to.finish();
  return to.doubt();
}

}  // namespace

Model export_model(nn::Module& module, const std::vector<Input>& inputs, const Forward& forward,
                   const ExportOptions& options) {
  check_inputs(inputs);
  Sizes sizes = sizes_of(inputs, options.largest);
  const bool counts = std::any_of(inputs.begin(), inputs.end(), [](const Input& input) {
    return input.example.dtype() == DType::i64;
  });
  if (sizes.names.empty() && counts) sizes.passes.resize(4);  // as drawn() needs
  const Evaluating evaluating(module);
  Generator generator(17);
  const auto traced = [&](std::size_t pass) {
    return trace(module, forward, drawn_inputs(inputs, sizes, pass, generator));
  };
  std::vector<Trace> traces;
  for (std::size_t pass = 0; pass < sizes.passes.size(); ++pass) traces.push_back(traced(pass));
  check_same(traces, sizes);
  const std::size_t results = traces[0].results.size();
  std::vector<std::string> outputs = options.outputs;
  if (outputs.empty()) {
    for (std::size_t i = 0; i < results; ++i) {
      outputs.push_back(results == 1 ? "output" : fmt::format("output{}", i));
    }
  }
  if (outputs.size() != results) {
    throw ValueError(fmt::format("onnx: {} names for {} outputs: {}", outputs.size(), results,
                                 fmt::join(outputs, ", ")));
  }
  check_names(inputs, outputs, traces[0]);
  Model model;
  while (const auto doubt = write_graph(model.graph, inputs, sizes, traces, outputs)) {
    // Each such pass leaves fewer explanations. The largest one stays the last.
    const std::size_t pass = sizes.add(*doubt);
    traces.insert(traces.begin() + static_cast<std::ptrdiff_t>(pass), traced(pass));
    check_same(traces, sizes);
  }
  model.ir_version = kIrVersion;
  model.producer_name = "heed";
  model.opsets = {{"", kOpset}};
  model.graph.name = module.class_name();
  return model;
}

void write(const std::string& path, nn::Module& module, const std::vector<Input>& inputs,
           const Forward& forward, const ExportOptions& options) {
  write_model(path, export_model(module, inputs, forward, options));
}

}  // namespace heed::onnx
