#include "fuse_attention.h"

#include <optional>
#include <vector>

namespace heed::onnx {
namespace {

class Fusing {
 public:
  Fusing(Graph& graph, const std::map<std::string, std::size_t>& counts)
      : graph_(graph), counts_(counts), gone_(graph.nodes.size(), false) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string& output : graph.nodes[i].outputs) makers_.emplace(output, i);
      for (const std::string& input : graph.nodes[i].inputs) users_[input] = i;
    }
  }

  void run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (is(i, "Softmax", 1)) fuse(i);
    }
    std::vector<Node> left;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!gone_[i]) left.push_back(std::move(graph_.nodes[i]));
    }
    graph_.nodes = std::move(left);
  }

 private:
  bool is(std::size_t i, const char* op, std::size_t inputs) const {
    const Node& node = graph_.nodes[i];
    return node.op_type == op && node.domain.empty() && node.inputs.size() == inputs &&
           node.outputs.size() == 1 && !gone_[i];
  }
  // The node that makes a value which nothing but one input of one node uses.
  std::optional<std::size_t> maker_of(const std::string& value) const {
    const auto count = counts_.find(value);
    const auto maker = makers_.find(value);
    if (count == counts_.end() || count->second != 1 || maker == makers_.end()) return {};
    return maker->second;
  }

  void fuse(std::size_t softmax) {
    const Node& weights = graph_.nodes[softmax];
    const Attribute* const axis = weights.attribute("axis");
    const auto* const last = axis == nullptr ? nullptr : std::get_if<std::int64_t>(&axis->value);
    if (weights.attributes.size() > 1 || (axis != nullptr && (last == nullptr || *last != -1)))
      return;
    const auto user = users_.find(weights.outputs[0]);
    if (user == users_.end() || !maker_of(weights.outputs[0])) return;
    const std::size_t product = user->second;
    if (!is(product, "MatMul", 2) || graph_.nodes[product].inputs[0] != weights.outputs[0]) return;

    std::vector<std::size_t> parts = {softmax};
    std::string mask, fill, scale, mask_kind = "none", scale_kind = "none";
    std::optional<std::size_t> at = maker_of(weights.inputs[0]);
    if (at && is(*at, "Where", 3)) {
      // Of the two values one comes from the scores.
      const Node& node = graph_.nodes[*at];
      const bool second = scores(node.inputs[2]).has_value();
      if (!second && !scores(node.inputs[1])) return;
      mask = node.inputs[0];
      fill = node.inputs[second ? 1 : 2];
      mask_kind = second ? "where not" : "where";
      parts.push_back(*at);
      at = maker_of(node.inputs[second ? 2 : 1]);
    } else if (at && is(*at, "Add", 2)) {
      const Node& node = graph_.nodes[*at];
      const bool first = scores(node.inputs[0]).has_value();
      if (!first && !scores(node.inputs[1])) return;
      mask = node.inputs[first ? 1 : 0];
      mask_kind = "add";
      parts.push_back(*at);
      at = maker_of(node.inputs[first ? 0 : 1]);
    }
    if (at && (is(*at, "Mul", 2) || is(*at, "Div", 2))) {
      const Node& node = graph_.nodes[*at];
      scale = node.inputs[1];
      scale_kind = node.op_type == "Mul" ? "multiply" : "divide";
      parts.push_back(*at);
      at = maker_of(node.inputs[0]);
    }
    if (!at || !is(*at, "MatMul", 2)) return;
    parts.push_back(*at);
    for (std::size_t i = 0; i < parts.size(); ++i) {  // in their order
      if (parts[i] >= (i == 0 ? product : parts[i - 1])) return;
    }

    Node out{.op_type = "Attention",
             .name = weights.name.empty() ? weights.outputs[0] : weights.name,
             .domain = kFusedDomain,
             .inputs = {graph_.nodes[*at].inputs[0], graph_.nodes[*at].inputs[1],
                        graph_.nodes[product].inputs[1], scale, mask, fill},
             .outputs = graph_.nodes[product].outputs,
             .attributes = {{"scale", scale_kind}, {"mask", mask_kind}}};
    out.place = weights.place;
    for (const std::size_t part : parts) gone_[part] = true;
    graph_.nodes[product] = std::move(out);
  }

  // Whether a value is a product of queries and keys, perhaps scaled.
  std::optional<std::size_t> scores(const std::string& value) const {
    std::optional<std::size_t> at = maker_of(value);
    if (at && (is(*at, "Mul", 2) || is(*at, "Div", 2))) at = maker_of(graph_.nodes[*at].inputs[0]);
    return at && is(*at, "MatMul", 2) ? at : std::nullopt;
  }

  Graph& graph_;
  const std::map<std::string, std::size_t>& counts_;
  std::vector<bool> gone_;
  std::map<std::string, std::size_t> makers_, users_;
};

}  // namespace

void fuse_attention(Graph& graph, std::int64_t opset,
                    const std::map<std::string, std::size_t>& use_counts) {
  if (opset >= 13) Fusing(graph, use_counts).run();  // before, Softmax has axes that follow it
}

}  // namespace heed::onnx
