#include "node_reader.h"

#include <fmt/format.h>

#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::onnx {

std::string label(const Node& node) {
  std::string own = node.name;
  for (const std::string& output : node.outputs) {
    if (own.empty()) own = output;
  }
  return in_short(node.op_type) + " " + in_quotes(own);
}

void NodeReader::fail(const std::string& text) const {
  throw FormatError(path_, node_.place, fmt::format("onnx: {}: {}", label(node_), text));
}

void NodeReader::inputs(std::size_t least, std::size_t most) const {
  if (node_.inputs.size() < least || node_.inputs.size() > most) {
    fail(fmt::format(
        "{} inputs, where there are {}", node_.inputs.size(),
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
  }
  for (std::size_t i = 0; i < least; ++i) {
    if (node_.inputs[i].empty()) fail(fmt::format("input {} is left out", i));
  }
}

void NodeReader::outputs(std::size_t most) const {
  for (std::size_t i = most; i < node_.outputs.size(); ++i) {
    if (has_output(i))
      fail(fmt::format("result {} ({}) is not supported", i, in_quotes(node_.outputs[i])));
  }
}

bool NodeReader::has(const char* name) {
  asked_.insert(name);
  return node_.attribute(name) != nullptr;
}

template <class T>
const T* NodeReader::find(const char* name) {
  asked_.insert(name);
  const Attribute* const attribute = node_.attribute(name);
  if (attribute == nullptr) return nullptr;
  const T* const out = std::get_if<T>(&attribute->value);
  if (out == nullptr) fail(fmt::format("attribute {} is of another type", name));
  return out;
}

std::int64_t NodeReader::integer(const char* name, std::int64_t otherwise) {
  const auto* const found = find<std::int64_t>(name);
  return found == nullptr ? otherwise : *found;
}
std::int64_t NodeReader::integer(const char* name) {
  const auto* const found = find<std::int64_t>(name);
  if (found == nullptr) fail(fmt::format("attribute {} is missing", name));
  return *found;
}
double NodeReader::number(const char* name, double otherwise) {
  const auto* const found = find<float>(name);
  return found == nullptr ? otherwise : static_cast<double>(*found);
}
std::string NodeReader::text(const char* name, const std::string& otherwise) {
  const auto* const found = find<std::string>(name);
  return found == nullptr ? otherwise : *found;
}
std::vector<std::int64_t> NodeReader::integers(const char* name,
                                               const std::vector<std::int64_t>& otherwise) {
  const auto* const found = find<std::vector<std::int64_t>>(name);
  return found == nullptr ? otherwise : *found;
}
std::vector<float> NodeReader::numbers(const char* name) {
  const auto* const found = find<std::vector<float>>(name);
  return found == nullptr ? std::vector<float>() : *found;
}
std::vector<std::string> NodeReader::texts(const char* name) {
  const auto* const found = find<std::vector<std::string>>(name);
  return found == nullptr ? std::vector<std::string>() : *found;
}
const TensorValue& NodeReader::tensor(const char* name) {
  const auto* const found = find<TensorValue>(name);
  if (found == nullptr) fail(fmt::format("attribute {} is missing", name));
  return *found;
}
Branch NodeReader::branch(const char* name) {
  Branch out = body(name);
  if (out.inputs > 0) fail("a branch has inputs");
  return out;
}
Branch NodeReader::body(const char* name) {
  const auto* const found = find<std::shared_ptr<Graph>>(name);
  if (found == nullptr || *found == nullptr) fail(fmt::format("attribute {} is missing", name));
  return branch_(**found);
}

void NodeReader::only(const char* name, std::int64_t known) {
  const std::int64_t given = integer(name, known);
  if (given != known)
    fail(fmt::format("attribute {} = {} is not supported, {} is", name, given, known));
}
void NodeReader::only(const char* name, const std::string& known) {
  const std::string given = text(name, known);
  if (given != known) {
    fail(fmt::format("attribute {} = {} is not supported, {} is", name, in_quotes(given),
                     in_quotes(known)));
  }
}
void NodeReader::none(const char* name) {
  if (has(name)) fail(fmt::format("attribute {} is not supported", name));
}

void NodeReader::finish() const {
  for (const Attribute& attribute : node_.attributes) {
    if (!asked_.contains(attribute.name)) {
      fail(fmt::format("attribute {} is not known at version {} of its operators",
                       in_quotes(attribute.name), opset_));
    }
  }
}

}  // namespace heed::onnx
