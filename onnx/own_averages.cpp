#include "own_averages.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heed::onnx {
namespace {

constexpr Index kFree = 1 << 16;

struct Uses {
  std::size_t averages = 0, others = 0;
};
using UsesOf = std::map<std::string, Uses>;

bool is_own(const Node& node, const char* op) { return node.op_type == op && node.domain.empty(); }

void collect(const Graph& graph, UsesOf& to) {
  for (const Node& node : graph.nodes) {
    const bool normalises = is_own(node, "BatchNormalization");
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Uses& of = to[node.inputs[i]];
      ++(normalises && (i == 3 || i == 4) ? of.averages : of.others);
    }
    for (const Attribute& attribute : node.attributes) {
      const auto* const inner = std::get_if<std::shared_ptr<Graph>>(&attribute.value);
      if (inner != nullptr && *inner != nullptr) collect(**inner, to);
    }
  }
  for (const ValueInfo& value : graph.outputs) ++to[value.name].others;
}

std::set<std::string> names_of(const Graph& graph) {
  std::set<std::string> out;
  for (const ValueInfo& value : graph.inputs) out.insert(value.name);
  for (const TensorValue& tensor : graph.initializers) out.insert(tensor.name);
  for (const Node& node : graph.nodes) out.insert(node.outputs.begin(), node.outputs.end());
  return out;
}

}  // namespace

void own_averages(Graph& graph) {
  UsesOf uses;
  collect(graph, uses);
  std::map<std::string, std::size_t> numbers;  // which initializer a name has the numbers of
  Index left = kFree;  // so that what the file has bounds what is made of it
  for (std::size_t i = 0; i < graph.initializers.size(); ++i) {
    numbers.emplace(graph.initializers[i].name, i);
    left += graph.initializers[i].array.numel();
  }
  const auto copy = [&](std::size_t from, const std::string& name) {
    TensorValue own = graph.initializers[from];
    if (own.array.numel() > left) return false;
    left -= own.array.numel();
    own.name = name;
    graph.initializers.push_back(std::move(own));
    return true;
  };
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    const bool same = is_own(node, "Identity") && node.inputs.size() == 1 &&
                      node.outputs.size() == 1 && !node.outputs[0].empty();
    const auto from = same ? numbers.find(node.inputs[0]) : numbers.end();
    if (from != numbers.end()) {
      std::size_t place = from->second;
      const Uses of = uses[node.outputs[0]];
      const bool gone = of.averages > 0 && of.others == 0 && copy(place, node.outputs[0]);
      if (gone) {
        --uses[node.inputs[0]].others;
        place = graph.initializers.size() - 1;
      }
      numbers.emplace(node.outputs[0], place);
      if (gone) continue;
    }
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  std::set<std::string> names = names_of(graph), taken;
  for (Node& node : graph.nodes) {
    if (!is_own(node, "BatchNormalization")) continue;
    for (std::size_t i = 3; i < std::min<std::size_t>(node.inputs.size(), 5); ++i) {
      std::string& name = node.inputs[i];
      const auto from = numbers.find(name);
      if (from == numbers.end()) continue;
      if (uses[name].others == 0 && taken.insert(name).second) continue;
      std::string own = name + (i == 3 ? "_mean" : "_variance");
      while (names.contains(own)) own += '_';
      if (!copy(from->second, own)) continue;
      names.insert(own);
      name = own;
    }
  }
}

}  // namespace heed::onnx
