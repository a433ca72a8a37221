#include "last_uses.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heed::detail {

std::vector<LastUse> last_uses(const std::vector<Ref<TapeNode>>& roots) {
  std::vector<LastUse> out;
  std::unordered_map<TensorImpl*, std::size_t> places;
  std::unordered_set<const TapeNode*> seen;
  std::vector<const TapeNode*> waiting;
  std::uint64_t graft = UINT64_MAX;
  const auto visit = [&](const TapeNode* node) {
    if (node != nullptr && seen.insert(node).second) waiting.push_back(node);
  };
  for (const auto& root : roots) visit(root.get());
  while (!waiting.empty()) {
    const TapeNode& node = *waiting.back();
    waiting.pop_back();
    if (node.grafts()) graft = std::min(graft, node.order());
    for (std::size_t i = 0; i < node.edge_count(); ++i) {
      const Edge& edge = node.edge(i);
      visit(edge.node.get());
      if (!edge.leaf) continue;
      const auto [place, fresh] = places.try_emplace(edge.leaf.get(), out.size());
      if (fresh) out.push_back({node.order(), edge.leaf.get()});
      LastUse& use = out[place->second];
      use.order = std::min(use.order, node.order());
    }
  }
  for (LastUse& use : out) use.order = std::min(use.order, graft);
  std::stable_sort(out.begin(), out.end(),
                   [](const LastUse& a, const LastUse& b) { return a.order > b.order; });
  return out;
}

}  // namespace heed::detail
