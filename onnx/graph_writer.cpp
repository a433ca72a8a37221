#include "graph_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "../core/error.h"

namespace heed::onnx {
namespace {

std::string key_of(const char* type, const Names& inputs) {
  std::string key = type;
  for (const std::string& input : inputs) key += "\n" + input;
  return key;
}

}  // namespace

GraphWriter::GraphWriter(const std::vector<Input>& inputs, Sizes sizes,
                         const std::vector<Trace>& traces, Names outputs)
    : inputs_(inputs), sizes_(std::move(sizes)), traces_(traces), outputs_(std::move(outputs)) {
  for (const std::string& output : outputs_) taken_[output] = 1;
  for (const Input& input : inputs_) taken_[input.name] = 1;
  for (const TracedValue& value : traces_[0].values) {
    if (value.kind == TracedValue::Kind::parameter) taken_[value.name] = 1;
  }
}

std::string GraphWriter::fresh(const std::string& type) {
  const std::string stem = path_.empty() ? type : path_ + "/" + type;
  std::string name;
  do {
    const int count = counts_[stem]++;
    name = count == 0 ? stem : fmt::format("{}_{}", stem, count);
  } while (is_taken(name));
  taken_[name] = 1;
  return name;
}

Names GraphWriter::nodes(const char* type, const Names& inputs, std::size_t results,
                         const Attributes& attributes) {
  Node node;
  node.op_type = type;
  node.name = fresh(type);
  node.inputs = inputs;
  while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
  node.attributes = attributes;
  for (std::size_t i = 0; i < results; ++i) {
    node.outputs.push_back(fresh(results == 1
                                     ? node.name.substr(path_.empty() ? 0 : path_.size() + 1) + ":0"
                                     : fmt::format("{}:{}", type, i)));
  }
  graph_.nodes.push_back(node);
  return node.outputs;
}

std::string GraphWriter::node(const char* type, const Names& inputs, const Attributes& attributes) {
  return nodes(type, inputs, 1, attributes)[0];
}

// Nodes that several ask for stand outside of any module.
std::string GraphWriter::once(const std::string& key, const char* type, const Names& inputs,
                              const Attributes& attributes) {
  const auto found = once_.find(key);
  if (found != once_.end()) return found->second;
  const std::string path = std::exchange(path_, "sizes");
  std::string made = node(type, inputs, attributes);
  path_ = path;
  once_[key] = made;
  return made;
}

std::string GraphWriter::constant(const Array& given) {
  const Array array = given.contiguous();
  std::string key = fmt::format("constant {} {} ", name(array.dtype()), to_string(array.shape()));
  const std::size_t bytes =
      static_cast<std::size_t>(array.numel()) * static_cast<std::size_t>(size_of(array.dtype()));
  const bool small = bytes <= 4096;
  if (small) {
    key.append(reinterpret_cast<const char*>(array.raw()), bytes);
    const auto found = once_.find(key);
    if (found != once_.end()) return found->second;
  }
  const std::string path = std::exchange(path_, "");
  std::string made = fresh("constant");
  path_ = path;
  graph_.initializers.push_back(tensor_value(made, array.clone()));
  if (small) once_[key] = made;
  return made;
}

std::string GraphWriter::number(double value, DType dtype) {
  return constant(Array::full(Shape{}, value, dtype));
}

std::string GraphWriter::whole(const std::vector<Index>& numbers) {
  return constant(Array::from(numbers));
}

// i64 [1]: one of the sizes that follow.
std::string GraphWriter::size(Index number) {
  for (const Input& input : inputs_) {
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis) {
      if (input.axes[axis] != sizes_.names[static_cast<std::size_t>(number)]) continue;
      const auto at = static_cast<std::int64_t>(axis);
      return once("size " + input.axes[axis], "Shape", {input.name},
                  {attribute("start", at), attribute("end", at + 1)});
    }
  }
  throw ValueError("onnx: no input has the axis " + sizes_.names[static_cast<std::size_t>(number)]);
}

std::string GraphWriter::extent(const std::vector<Index>& passes, const std::string& what) {
  const auto found = extent_of(passes, sizes_);
  if (!found) {
    refuse(fmt::format("{} is {} in passes of other sizes: no rule of these sizes is known", what,
                       fmt::join(passes, ", ")));
  }
  if (found->doubt) doubt_ = found->doubt;
  if (found->is_constant()) return whole({passes[0]});
  const auto twice = [this](const char* type, const std::string& a, const std::string& b) {
    return once(key_of(type, {a, b}), type, {a, b});
  };
  if (!found->factors.empty()) {
    std::string out = found->scale == 1 ? "" : whole({found->scale});
    for (const Extent::Factor& factor : found->factors) {
      std::string one = size(factor.size);
      if (factor.offset != 0) one = twice("Add", one, whole({factor.offset}));
      out = out.empty() ? one : twice("Mul", out, one);
    }
    return out;
  }
  std::string out;
  for (std::size_t i = 0; i < found->slopes.size(); ++i) {
    if (found->slopes[i] == 0) continue;
    std::string one = size(static_cast<Index>(i));
    if (found->slopes[i] != 1) one = twice("Mul", one, whole({found->slopes[i]}));
    out = out.empty() ? one : twice("Add", out, one);
  }
  if (found->constant != 0) out = twice("Add", out, whole({found->constant}));
  if (found->divisor != 1) out = twice("Div", out, whole({found->divisor}));
  if (found->scale != 1) out = twice("Mul", out, whole({found->scale}));
  if (found->most) out = twice("Min", out, whole({*found->most}));
  return out;
}

std::string GraphWriter::extents(const std::vector<std::vector<Index>>& passes,
                                 const std::string& what) {
  const std::size_t count = passes[0].size();
  std::vector<std::vector<Index>> by_place(count);
  bool fixed = true;
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& pass : passes) {
      by_place[i].push_back(pass[i]);
      fixed = fixed && pass[i] == passes[0][i];
    }
  }
  if (fixed) return whole(passes[0]);
  Names parts;
  for (const auto& numbers : by_place) parts.push_back(extent(numbers, what));
  if (parts.size() == 1) return parts[0];
  return once(key_of("Concat", parts), "Concat", parts, {attribute("axis", std::int64_t{0})});
}

std::string GraphWriter::cast(const std::string& value, DType dtype) {
  const auto type = static_cast<std::int64_t>(data_type_of(dtype));
  return node("Cast", {value}, {attribute("to", type)});
}

std::string GraphWriter::range(const std::string& count) {
  const std::string end = once(key_of("Squeeze", {count}), "Squeeze", {count, whole({0})});
  return once(key_of("Range", {end}), "Range", {number(0, DType::i64), end, number(1, DType::i64)});
}

std::string GraphWriter::transposed(const std::string& matrix) {
  return once("transposed " + matrix, "Transpose", {matrix},
              {attribute("perm", std::vector<std::int64_t>{1, 0})});
}

const TracedValue& GraphWriter::traced(Index id, std::size_t pass) const {
  return traces_[pass].values[static_cast<std::size_t>(id)];
}

std::string GraphWriter::value(Index id) {
  const auto found = values_.find(id);
  if (found != values_.end()) return found->second;
  const TracedValue& one = traced(id, 0);
  std::string made;
  switch (one.kind) {
    case TracedValue::Kind::input: made = inputs_[static_cast<std::size_t>(one.place)].name; break;
    case TracedValue::Kind::parameter:
      graph_.initializers.push_back(tensor_value(one.name, one.array.contiguous()));
      made = one.name;
      break;
    case TracedValue::Kind::constant: made = write_constant(*this, id); break;
    case TracedValue::Kind::result: refuse("a value is read before it is made"); break;
  }
  values_[id] = made;
  return made;
}

void GraphWriter::set_value(Index id, const std::string& name) { values_[id] = name; }

void GraphWriter::enter(const std::string& path, const std::string& op) {
  path_ = path;
  op_ = op;
}

std::string GraphWriter::place() const {
  return path_.empty() ? "operator " + op_ : fmt::format("operator {} in module {}", op_, path_);
}

void GraphWriter::refuse(const std::string& why) const {
  throw ValueError(fmt::format("onnx: {}: {}", place(), why));
}

ValueInfo GraphWriter::info(const std::string& name, Index id) {
  const Array& first = traced(id, 0).array;
  std::vector<Dim> shape;
  for (Index axis = 0; axis < first.rank(); ++axis) {
    std::vector<Index> numbers;
    for (std::size_t pass = 0; pass < passes(); ++pass) {
      numbers.push_back(traced(id, pass).array.size(axis));
    }
    const auto found = extent_of(numbers, sizes_);
    if (found && found->doubt) doubt_ = found->doubt;
    if (found && found->is_constant()) {
      shape.emplace_back(numbers[0]);
    } else {
      shape.emplace_back(found ? found->text(sizes_) : std::string());
    }
  }
  return {name, data_type_of(first.dtype()), std::move(shape)};
}

Graph GraphWriter::finish() {
  const Trace& first = traces_[0];
  for (const Input& input : inputs_) {
    std::vector<Dim> shape;
    for (Index axis = 0; axis < input.example.rank(); ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      if (at < input.axes.size() && !input.axes[at].empty()) {
        shape.emplace_back(input.axes[at]);
      } else {
        shape.emplace_back(input.example.size(axis));
      }
    }
    graph_.inputs.push_back({input.name, data_type_of(input.example.dtype()), std::move(shape)});
  }
  path_.clear();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Index id = first.results[i];
    // A result is named as it was asked for, whatever it is called inside.
    graph_.nodes.push_back({.op_type = "Identity",
                            .name = fresh("Identity"),
                            .inputs = {value(id)},
                            .outputs = {outputs_[i]}});
    graph_.outputs.push_back(info(outputs_[i], id));
  }
  return std::move(graph_);
}

}  // namespace heed::onnx
