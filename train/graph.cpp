#include "graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "../autograd/check_defined.h"
#include "../autograd/node.h"
#include "../core/error.h"
#include "../core/quoted.h"

namespace heed::train {
namespace {

// What a vertex stands for: a recorded operator or a leaf.
struct Place {
  TapeNode* node = nullptr;
  const TensorImpl* leaf = nullptr;
  const void* key() const { return node ? static_cast<const void*>(node) : leaf; }
};

Place place_of(const heed::Edge& edge) { return {edge.node.get(), edge.leaf.get()}; }

std::vector<Place> sources(const Place& place) {
  std::vector<Place> out;
  if (!place.node) return out;
  for (std::size_t i = 0; i < place.node->edge_count(); ++i) {
    const Place source = place_of(place.node->edge(i));
    if (source.key()) out.push_back(source);
  }
  return out;
}

// The newest operators come first: what is nearer to the output along every path.
bool comes_later(const Place& a, const Place& b) {
  const std::uint64_t order_a = a.node ? a.node->order() : 0;
  const std::uint64_t order_b = b.node ? b.node->order() : 0;
  return order_a < order_b;
}

// How many there are in all, walked with a list instead of the stack.
Index count_all(const Place& root) {
  std::unordered_set<const void*> seen{root.key()};
  std::vector<Place> open{root};
  while (!open.empty()) {
    const Place place = open.back();
    open.pop_back();
    for (const Place& source : sources(place)) {
      if (seen.insert(source.key()).second) open.push_back(source);
    }
  }
  return static_cast<Index>(seen.size());
}

// Each below all that read it; vertices come with the newest operators first, leaves as found.
void lay_out(Graph& graph) {
  std::vector<std::vector<std::size_t>> below(graph.vertices.size());
  std::vector<Index> readers(graph.vertices.size());
  for (const Graph::Edge& edge : graph.edges) {
    below[edge.from].push_back(edge.to);
    ++readers[edge.to];
  }
  std::deque<std::size_t> ready{0};
  while (!ready.empty()) {
    const std::size_t at = ready.front();
    ready.pop_front();
    for (const std::size_t next : below[at]) {
      graph.vertices[next].layer =
          std::max(graph.vertices[next].layer, graph.vertices[at].layer + 1);
      if (--readers[next] == 0) ready.push_back(next);
    }
  }
}

}  // namespace

Graph graph(const Tensor& output, const GraphOptions& options) {
  check_defined("graph", output, "the tensor");
  if (!output.requires_grad()) {
    throw GradError(
        fmt::format("graph: {} requires no gradient: there is no tape", describe(output)));
  }
  if (options.most <= 0)
    throw ValueError(fmt::format("graph: most {} is not positive", options.most));
  std::unordered_map<const TensorImpl*, std::string> names;
  for (const auto& [name, tensor] : options.names) names.emplace(tensor.impl(), name);

  Graph graph;
  std::unordered_map<const void*, std::size_t> index;
  const auto add = [&](const Place& place) {
    Graph::Vertex vertex;
    if (place.node) {
      const OutputSlot& slot = place.node->output(0);
      vertex.title = place.node->name();
      vertex.shape = name(slot.dtype) + to_string(slot.shape);
    } else {
      const auto found = names.find(place.leaf);
      vertex.title = found == names.end() ? "leaf" : one_line(found->second);
      vertex.shape = describe(place.leaf->array);
      vertex.leaf = true;
    }
    index.emplace(place.key(), graph.vertices.size());
    graph.vertices.push_back(std::move(vertex));
  };

  const Place root = place_of(heed::Edge::to(output));
  const Index all = count_all(root);
  std::priority_queue<Place, std::vector<Place>, decltype(&comes_later)> open(&comes_later);
  std::unordered_set<const void*> queued{root.key()};
  std::vector<Place> shown;
  open.push(root);
  while (!open.empty() && static_cast<Index>(shown.size()) < options.most) {
    const Place place = open.top();
    open.pop();
    add(place);
    shown.push_back(place);
    for (const Place& source : sources(place)) {
      if (queued.insert(source.key()).second) open.push(source);
    }
  }
  for (const Place& place : shown) {
    for (const Place& source : sources(place)) {
      const auto to = index.find(source.key());
      if (to != index.end()) graph.edges.push_back({index.at(place.key()), to->second});
    }
  }
  graph.left_out = all - static_cast<Index>(shown.size());
  lay_out(graph);
  return graph;
}

}  // namespace heed::train
