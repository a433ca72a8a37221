#include "graph_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../core/error.h"

namespace heed::attention {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The others that each node has an edge with, ascending.
std::vector<std::vector<Index>> neighbours(const Edges& edges) {
  const Edges both = edges.both_ways();
  std::vector<std::vector<Index>> out(at(edges.nodes()));
  for (std::size_t m = 0; m < both.from().size(); ++m) {
    if (both.from()[m] != both.to()[m]) out[at(both.to()[m])].push_back(both.from()[m]);
  }
  return out;
}

// Jacobi's rotations: a becomes diagonal, and v's columns the eigenvectors.
void diagonalise(std::vector<double>& a, std::vector<double>& v, Index n) {
  const auto of = [n](std::vector<double>& x, Index i, Index j) -> double& {
    return x[at(i * n + j)];
  };
  for (Index i = 0; i < n; ++i) of(v, i, i) = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) off += of(a, i, j) * of(a, i, j);
    }
    if (off < 1e-26) return;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        if (std::fabs(of(a, p, q)) < 1e-300) continue;
        const double theta = (of(a, q, q) - of(a, p, p)) / (2 * of(a, p, q));
        const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto turn = [c, s](double& x, double& y) {
          const double was = x;
          x = c * was - s * y;
          y = s * was + c * y;
        };
        for (Index k = 0; k < n; ++k) turn(of(a, k, p), of(a, k, q));
        for (Index k = 0; k < n; ++k) turn(of(a, p, k), of(a, q, k));
        for (Index k = 0; k < n; ++k) turn(of(v, k, p), of(v, k, q));
      }
    }
  }
}

}  // namespace

Tensor laplacian_positions(const Edges& edges, Index count, DType dtype) {
  if (count < 0) {
    throw ValueError(fmt::format("laplacian_positions: count {} must not be negative", count));
  }
  const Index n = edges.nodes();
  const auto beside = neighbours(edges);
  const auto degree = [&](Index i) { return static_cast<double>(beside[at(i)].size()); };
  std::vector<double> laplacian(at(n * n), 0.0), vectors(at(n * n), 0.0);
  std::vector<Index> joined;  // nodes with neighbours; the others have no place in it
  for (Index i = 0; i < n; ++i) {
    if (!beside[at(i)].empty()) joined.push_back(i);
    laplacian[at(i * n + i)] =
        beside[at(i)].empty() ? 3 : 1;  // above all eigenvalues, which are <= 2
    for (const Index j : beside[at(i)]) {
      laplacian[at(i * n + j)] = -1 / std::sqrt(degree(i) * degree(j));
    }
  }
  diagonalise(laplacian, vectors, n);
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) {
    return laplacian[at(i * n + i)] < laplacian[at(j * n + j)];
  });
  Array out = Array::zeros({n, count}, DType::f64);
  for (Index c = 0; c < count && c + 1 < static_cast<Index>(joined.size()); ++c) {
    const Index column = order[at(c + 1)];
    const auto element = [&](Index i) { return vectors[at(i * n + column)]; };
    Index largest = 0;
    for (Index i = 1; i < n; ++i) {
      if (std::fabs(element(i)) > std::fabs(element(largest)) + 1e-9) largest = i;
    }
    const double sign = element(largest) < 0 ? -1 : 1;
    for (const Index i : joined) out.mutable_data<double>()[i * count + c] = sign * element(i);
  }
  return Tensor(out.to(dtype));
}

Tensor with_random_signs(const Tensor& positions, Generator& generator) {
  const Index count = positions.size(-1);
  return positions * sign(Tensor(generator.uniform({count}, -1, 1, positions.dtype())));
}

Tensor shortest_paths(const Edges& edges, Index limit) {
  if (limit <= 0) throw ValueError(fmt::format("shortest_paths: limit {} must be positive", limit));
  const Index n = edges.nodes();
  const auto beside = neighbours(edges);
  Array out = Array::full({n, n}, static_cast<double>(limit), DType::i64);
  for (Index from = 0; from < n; ++from) {
    Index* const steps = out.mutable_data<Index>() + from * n;
    std::queue<Index> next;
    steps[from] = 0;
    next.push(from);
    while (!next.empty()) {
      const Index here = next.front();
      next.pop();
      if (steps[here] + 1 >= limit) break;
      for (const Index other : beside[at(here)]) {
        if (steps[other] <= steps[here] + 1) continue;
        steps[other] = steps[here] + 1;
        next.push(other);
      }
    }
  }
  return Tensor(out);
}

Tensor degrees(const Edges& edges, Index limit) {
  if (limit < 0) throw ValueError(fmt::format("degrees: limit {} must not be negative", limit));
  std::vector<Index> out;
  for (const auto& beside : neighbours(edges)) {
    out.push_back(std::min(limit, static_cast<Index>(beside.size())));
  }
  return Tensor(Array::from(out));
}

GraphStructure graph_structure(const std::vector<Edges>& graphs, Index places,
                               const GraphStructureOptions& options) {
  const auto B = static_cast<Index>(graphs.size());
  GraphStructure out;
  // Row b of a batch begins with the numbers of its graph.
  const auto lay = [&](Tensor& batch, Index b, const Tensor& own) {
    const Array& from = own.array();
    Array to = batch.array().select(0, b);
    for (Index axis = 0; axis < from.rank(); ++axis) to = to.slice(axis, 0, from.size(axis));
    for (Index i = 0; i < from.size(0); ++i) {
      const Array row = from.select(0, i);
      Array to_row = to.select(0, i);
      std::copy_n(row.contiguous().raw(),
                  static_cast<std::size_t>(row.numel()) * size_of(row.dtype()),
                  to_row.mutable_raw());
    }
  };
  if (options.positions > 0) {
    out.positions = zeros({B, places, options.positions}, options.dtype);
  }
  if (options.max_distance > 0) {
    out.distances = Tensor(
        Array::full({B, places, places}, static_cast<double>(options.max_distance), DType::i64));
  }
  if (options.max_degree > 0) out.degrees = zeros({B, places}, DType::i64);
  for (Index b = 0; b < B; ++b) {
    const Edges& graph = graphs[at(b)];
    if (graph.nodes() > places) {
      throw ValueError(fmt::format("graph_structure: graph {} has {} nodes for {} places", b,
                                   graph.nodes(), places));
    }
    out.lengths.push_back(graph.nodes());
    if (out.positions.defined()) {
      lay(out.positions, b, laplacian_positions(graph, options.positions, options.dtype));
    }
    if (out.distances.defined()) {
      lay(out.distances, b, shortest_paths(graph, options.max_distance));
    }
    if (out.degrees.defined()) lay(out.degrees, b, degrees(graph, options.max_degree));
  }
  return out;
}

}  // namespace heed::attention
