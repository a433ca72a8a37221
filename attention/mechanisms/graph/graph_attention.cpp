#include "graph_attention.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/dropout.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/packed/segment.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "graph_attention";

GraphAttentionOptions checked(const GraphAttentionOptions& o) {
  if (o.input <= 0 || o.head_width <= 0 || o.heads <= 0) {
    throw ValueError(
        fmt::format("graph_attention: input {}, head_width {} and heads {} must be positive",
                    o.input, o.head_width, o.heads));
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("graph_attention: dropout {} is not in [0, 1]", o.dropout));
  }
  return o;
}

// What each node takes of its edges, in any order, by operators that can be followed, whatever the
// graph; a block of nodes by edges is made. Scores [M, H], values [M, H, D] -> context [N, H, D],
// weights [M, H].
Attended by_places(const Tensor& scores, const Tensor& values, const Tensor& targets, Index nodes) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const Tensor own = unsqueeze(arange(nodes), 1) == targets;                             // [N, M]
  const Tensor top = amax(where(unsqueeze(own, -1), unsqueeze(scores, 0), kNone), {1});  // [N, H]
  const Tensor parts = exp(scores - index_select(top, 0, targets));
  Shape rows = scores.shape();
  rows[0] = nodes;
  const Tensor sums = index_add(zeros(rows, scores.dtype()), 0, targets, parts);
  const Tensor alpha = parts / index_select(sums, 0, targets);
  rows = values.shape();
  rows[0] = nodes;
  const Tensor messages = unsqueeze(alpha, -1) * values;
  return {index_add(zeros(rows, values.dtype()), 0, targets, messages), alpha};
}

// Edges as they were given: sources and targets.
std::pair<Tensor, Tensor> as_given(const Edges& edges) {
  std::vector<Index> sources, targets;
  for (const Index place : edges.given().to_vector<Index>()) {
    sources.push_back(edges.from()[static_cast<std::size_t>(place)]);
    targets.push_back(edges.to()[static_cast<std::size_t>(place)]);
  }
  return {Tensor(Array::from(sources)), Tensor(Array::from(targets))};
}

bool is_v2(const GraphAttentionOptions& o) { return o.kind == GraphAttentionKind::gat_v2; }

}  // namespace

GraphAttention::GraphAttention(const GraphAttentionOptions& o)
    : options_(checked(o)),
      source_projection(child<nn::Linear>("source_projection", o.input,
                                          Checked(kOp, o.heads) * o.head_width, false, o.dtype)),
      target_projection(is_v2(o) && !o.shared
                            ? &child<nn::Linear>("target_projection", o.input,
                                                 Checked(kOp, o.heads) * o.head_width, false,
                                                 o.dtype)
                            : nullptr),
      score(is_v2(o) ? static_cast<GraphScore&>(child<DynamicGraphScore>(
                           "score", o.heads, o.head_width, o.negative_slope, o.dtype))
                     : child<StaticGraphScore>("score", o.heads, o.head_width, o.negative_slope,
                                               o.dtype)),
      bias(parameter("bias",
                     o.bias ? zeros({Checked(kOp, o.average ? 1 : o.heads) * o.head_width}, o.dtype)
                            : Tensor())) {
  nn::xavier_uniform_(source_projection.weight);
  if (target_projection != nullptr) nn::xavier_uniform_(target_projection->weight);
}

// What is not finite does not meet the weights: a node that nobody looks at leaves no trace.
GraphAttention::Projected GraphAttention::project(const Tensor& x) const {
  const Tensor source = guarded(x, true, source_projection);
  return {target_projection == nullptr ? source : guarded(x, true, *target_projection), source};
}

// heads [.., H, D] -> [.., H D], or their mean.
Tensor GraphAttention::joined(const Tensor& heads) const {
  const Tensor all = options_.average ? mean(heads, {-2}) : flatten(heads, -2, -1);
  return bias.defined() ? all + bias : all;
}

Attended GraphAttention::operator()(const Tensor& x, const Edges& edges, bool need_weights) const {
  const Scope scope(*this);
  check_rows(kOp, "x", x, options_.input, source_projection.weight.dtype());
  if (x.rank() != 2 || x.size(0) != edges.nodes()) {
    throw ShapeError(fmt::format("{}: x must be [N, {}], not {}, for {} nodes and {} edges", kOp,
                                 options_.input, describe(x), edges.nodes(), edges.count()));
  }
  const Index N = edges.nodes(), H = options_.heads, D = options_.head_width;
  const auto [target, source] = project(x);
  const Tensor from = reshape(source, {N, H, D}), to = reshape(target, {N, H, D});
  if (traced() && edges.count() > 0) {
    const auto [sources, targets] = as_given(edges);
    Attended out = by_places(score.of_edges(to, from, targets, sources),
                             index_select(from, 0, sources), targets, N);
    out.context = forwarded(joined(out.context));
    if (!need_weights) out.weights = Tensor();
    return out;
  }
  const Tensor sources = edges.sources();
  const Tensor e = score.of_edges(to, from, edges.targets(), sources);  // [M, H]
  const Tensor alpha = segment_softmax({e, edges.offsets()});
  const Tensor kept = dropout(alpha, options_.dropout, training());
  const Tensor messages = unsqueeze(kept, -1) * index_select(from, 0, sources);  // [M, H, D]
  Attended out{forwarded(joined(segment_sum({messages, edges.offsets()})))};
  if (need_weights) out.weights = index_select(alpha, 0, edges.given());
  return out;
}

Attended GraphAttention::operator()(const Tensor& x, const Terms& terms) const {
  const Scope scope(*this);
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.input, source_projection.weight.dtype());
  const Index B = x.size(0), T = x.size(1), H = options_.heads, D = options_.head_width;
  const auto heads = [&](const Tensor& y) { return transpose(reshape(y, {B, T, H, D}), 1, 2); };
  const auto [target, source] = project(x);
  Terms call = terms;
  if (terms.dropout == 0 && training()) call.dropout = options_.dropout;
  const Tensor keys = heads(source);
  const Tensor queries = heads(target);
  Attended out = named(kOp, [&] { return attend(score, queries, keys, keys, call); });
  out.context = forwarded(joined(transpose(out.context, 1, 2)));
  return out;
}

}  // namespace heed::attention
