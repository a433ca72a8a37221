#include "edges.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/no_memory.h"

namespace heed::attention {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

// Sorted by counting, so that edges of one target stay in their order.
Edges::Edges(const std::vector<Index>& sources, const std::vector<Index>& targets, Index nodes) {
  if (nodes < 0) throw ValueError(fmt::format("edges: nodes {} must not be negative", nodes));
  if (sources.size() != targets.size()) {
    throw ShapeError(
        fmt::format("edges: {} sources for {} targets", sources.size(), targets.size()));
  }
  const auto check = [&](const char* what, Index node, std::size_t m) {
    if (node >= 0 && node < nodes) return;
    throw IndexError(
        fmt::format("edges: {} {} of edge {} is out of range [0, {})", what, node, m, nodes));
  };
  fitting("edges", nodes, "nodes", [&] { offsets_.assign(at(nodes) + 1, 0); });
  for (std::size_t m = 0; m < sources.size(); ++m) {
    check("source", sources[m], m);
    check("target", targets[m], m);
    ++offsets_[at(targets[m]) + 1];
  }
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  std::vector<Index> next = fitting("edges", nodes, "nodes", [&] {
    return std::vector<Index>(offsets_.begin(), offsets_.end() - 1);
  });
  from_.resize(sources.size());
  to_.resize(sources.size());
  given_.resize(sources.size());
  for (std::size_t m = 0; m < sources.size(); ++m) {
    const Index place = next[at(targets[m])]++;
    from_[at(place)] = sources[m];
    to_[at(place)] = targets[m];
    given_[m] = place;
  }
}

Edges Edges::complete(const std::vector<Index>& lengths, Index places) {
  Checked count("edges", 0);
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] < 0 || lengths[b] > places) {
      throw ShapeError(
          fmt::format("edges: length {} of row {} is not in [0, {}]", lengths[b], b, places));
    }
    count = count + Checked("edges", lengths[b]) * lengths[b];
  }
  const Index nodes = Checked("edges", static_cast<Index>(lengths.size())) * places;
  std::vector<Index> sources, targets;
  fitting("edges", count, "edges", [&] {
    sources.reserve(at(count));
    targets.reserve(at(count));
  });
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const Index first = static_cast<Index>(b) * places;
    for (Index i = 0; i < lengths[b]; ++i) {
      for (Index j = 0; j < lengths[b]; ++j) {
        sources.push_back(first + j);
        targets.push_back(first + i);
      }
    }
  }
  return {sources, targets, nodes};
}

Edges Edges::beside(const std::vector<Edges>& graphs) {
  std::vector<Index> sources, targets;
  Index nodes = 0;
  for (const Edges& graph : graphs) {
    for (const Index place : graph.given_) {
      sources.push_back(nodes + graph.from_[at(place)]);
      targets.push_back(nodes + graph.to_[at(place)]);
    }
    nodes += graph.nodes();
  }
  return {sources, targets, nodes};
}

Edges Edges::both_ways() const {
  std::set<std::pair<Index, Index>> all;  // target, source
  for (std::size_t m = 0; m < from_.size(); ++m) {
    all.emplace(to_[m], from_[m]);
    all.emplace(from_[m], to_[m]);
  }
  std::vector<Index> sources, targets;
  for (const auto& [target, source] : all) {
    sources.push_back(source);
    targets.push_back(target);
  }
  return {sources, targets, nodes()};
}

Edges Edges::with_self_loops() const {
  std::vector<Index> sources, targets;
  for (const Index place : given_) {
    sources.push_back(from_[at(place)]);
    targets.push_back(to_[at(place)]);
  }
  for (Index i = 0; i < nodes(); ++i) {
    sources.push_back(i);
    targets.push_back(i);
  }
  return {sources, targets, nodes()};
}

Tensor Edges::sources() const { return Tensor(Array::from(from_)); }
Tensor Edges::targets() const { return Tensor(Array::from(to_)); }
Tensor Edges::given() const { return Tensor(Array::from(given_)); }

Tensor Edges::block() const {
  Array out = Array::zeros({nodes(), nodes()}, DType::boolean);
  for (std::size_t m = 0; m < from_.size(); ++m) {
    out.mutable_data<bool>()[to_[m] * nodes() + from_[m]] = true;
  }
  return Tensor(out);
}

}  // namespace heed::attention
