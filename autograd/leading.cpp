#include "leading.h"

#include <algorithm>

namespace heed::detail {

void Leading::ask(const Tensor& input) {
  if (input.node()) {
    asked_.insert(input.node().get());
    oldest_ = std::min(oldest_, input.node()->order());
  } else {
    asked_.insert(input.impl());
    oldest_ = 0;
  }
}

std::vector<const TapeNode*> Leading::look(const Edge& edge) {
  std::vector<const TapeNode*> found;
  const auto visit = [&](const TapeNode* node) {
    if (node == nullptr || node->order() < oldest_) return;
    if (seen_.try_emplace(node, false).second) found.push_back(node);
  };
  visit(edge.node.get());
  for (std::size_t next = 0; next < found.size(); ++next) {
    const TapeNode& node = *found[next];
    for (std::size_t i = 0; i < node.edge_count(); ++i) visit(node.edge(i).node.get());
  }
  // What a node's edges go to is older.
  std::sort(found.begin(), found.end(),
            [](const TapeNode* a, const TapeNode* b) { return a->order() < b->order(); });
  for (const TapeNode* node : found) {
    bool on = node->grafts() && node->order() > oldest_;
    for (std::size_t i = 0; i < node->edge_count() && !on; ++i) on = leads(node->edge(i));
    seen_[node] = on;
  }
  return found;
}

bool Leading::leads(const Edge& edge) const {
  if (edge.leaf) return asked_.contains(edge.leaf.get());
  const auto place = seen_.find(edge.node.get());
  return place != seen_.end() && (place->second || asked_.contains(place->first));
}

bool Leading::goes_on(const TapeNode& node) const {
  const auto place = seen_.find(&node);
  return place != seen_.end() && place->second;
}

}  // namespace heed::detail
