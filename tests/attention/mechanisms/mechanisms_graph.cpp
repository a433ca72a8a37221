// Mechanisms over graphs and structures.
#include "../../../attention/detail/named.h"
#include "../../../attention/mechanisms/graph/graph_attention.h"
#include "../../../attention/mechanisms/graph/graph_transformer.h"
#include "../../../attention/mechanisms/structured/linear_chain.h"
#include "../../../attention/mechanisms/structured/sinkhorn.h"
#include "../../../attention/mechanisms/structured/spanning_trees.h"
#include "../../../attention/mechanisms/structured/sparse_chain.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/shape/shape.h"
#include "mechanisms.h"

namespace heed::attention {
namespace {

using Lengths = std::vector<Index>;
const DType& kDType = mechanism_dtype();

std::shared_ptr<GraphAttention> graph_layer(GraphAttentionKind kind) {
  return std::make_shared<GraphAttention>(GraphAttentionOptions{
      .kind = kind, .input = kE, .head_width = 2, .heads = 3, .bias = false, .dtype = kDType});
}

// Every node from each of its graph, by a mask.
Mechanism graph_block(GraphAttentionKind kind) {
  auto made = graph_layer(kind);
  Mechanism out{.modules = {made}, .self = true, .name = "graph_attention"};
  out.causal = [=](const Tensor& x) { return (*made)(x, {.mask = Mask::causal()}).context; };
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return (*made)(keys, {.mask = padding(lengths, keys), .need_weights = weights});
  };
  return out;
}

// The same by edges, whose weights are laid out as a block's.
Mechanism graph_edges(GraphAttentionKind kind) {
  auto made = graph_layer(kind);
  Mechanism out{.modules = {made}, .self = true, .sums_to_one = false, .name = "graph_attention"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Index B = keys.size(0), T = keys.size(1);
    const Edges edges = Edges::complete(lengths, T);
    const Attended seen = (*made)(reshape(keys, {B * T, keys.size(2)}), edges, weights);
    Attended all{reshape(seen.context, {B, T, seen.context.size(1)})};
    if (!weights) return all;
    Lengths places;
    for (std::size_t m = 0; m < edges.from().size(); ++m) {
      places.push_back(edges.to()[m] * T + edges.from()[m] % T);
    }
    // Edges of complete graphs come by target.
    const Tensor laid = index_add(zeros({B * T * T, 3}, keys.dtype()), 0,
                                  Tensor(Array::from(places)), seen.weights);
    all.weights = permute(reshape(laid, {B, T, T, 3}), {0, 3, 1, 2});
    return all;
  };
  return out;
}

// Each row's nodes in a row, as a path.
Mechanism graph_transformer() {
  auto made = std::make_shared<GraphTransformer>(GraphTransformerOptions{
      .layers = 1,
      .transformer = {.width = kE, .heads = 3, .hidden = 4, .dropout = 0, .dtype = kDType},
      .positions = 2,
      .max_distance = 3,
      .max_degree = 2});
  Mechanism out{.modules = {made}, .self = true, .by_place = true, .projects = true};
  out.residual = true;
  out.name = "graph_transformer";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    named("graph_transformer", [&] { padding(lengths, keys); });
    std::vector<Edges> paths;
    for (const Index nodes : lengths) {
      Lengths from, to;
      for (Index i = 1; i < nodes; ++i) from.push_back(i - 1), to.push_back(i);
      paths.emplace_back(from, to, nodes);
    }
    const GraphStructure graphs = graph_structure(
        paths, keys.size(1),
        {.positions = 2, .max_distance = 3, .max_degree = 2, .dtype = keys.dtype()});
    const StackOutput seen = (*made)(keys, graphs, {.need_weights = weights});
    return Attended{seen.output, weights ? seen.weights.back() : Tensor()};
  };
  return out;
}

Mechanism tree_attention() {
  auto made = std::make_shared<TreeAttention>(
      TreeAttentionOptions{.width = kE, .hidden = 2, .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .sums_to_one = false, .name = "tree_attention"};
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    return Attended((*made)(keys, padding(lengths, keys), weights));
  };
  return out;
}

// Heads under a doubly stochastic normaliser, of those queries that are real.
Mechanism sinkhorn() {
  auto made = std::make_shared<MultiHead>(
      MultiHeadOptions{.width = kE,
                       .heads = 3,
                       .normaliser = std::make_shared<Sinkhorn>(SinkhornOptions{.iterations = 3}),
                       .dtype = kDType});
  Mechanism out{.modules = {made}, .self = true, .sums_to_one = false, .projects = true};
  out.name = "multi_head";
  out.call = [=](const Tensor&, const Tensor& keys, const Lengths& lengths, bool weights) {
    const Mask real = padding(lengths, keys);
    const Index B = keys.size(0), T = keys.size(1);
    const Tensor queries = real.tensor(Shape{B, T}, "multi_head");
    return (*made)(keys,
                   {.mask = real & Mask(reshape(queries, {B, 1, T, 1})), .need_weights = weights});
  };
  return out;
}

// A score of any kind, and a chain of which places are looked at.
Mechanism segmentation(const std::shared_ptr<Normaliser>& chain) {
  auto score = std::make_shared<Additive>(kE, kE, 3, false, kDType);
  Mechanism out{.modules = {chain, score}, .by_place = true, .sums_to_one = false};
  out.sums_to_any = true;
  out.name = "attend";
  out.call = [=](const Tensor& query, const Tensor& keys, const Lengths& lengths, bool weights) {
    return named("attend", [&] {
      return attend(
          *score, query, keys, keys,
          {.normaliser = chain.get(), .mask = padding(lengths, keys), .need_weights = weights});
    });
  };
  return out;
}

}  // namespace

Registry<Mechanism> graph_mechanisms() {
  using Kind = GraphAttentionKind;
  return {
      {"graph_attention", [] { return graph_block(Kind::gat); }},
      {"graph_attention_v2", [] { return graph_block(Kind::gat_v2); }},
      {"graph_attention_edges", [] { return graph_edges(Kind::gat); }},
      {"graph_attention_v2_edges", [] { return graph_edges(Kind::gat_v2); }},
      {"graph_transformer", graph_transformer},
      {"tree_attention", tree_attention},
      {"sinkhorn", sinkhorn},
      {"linear_chain", [] { return segmentation(std::make_shared<LinearChain>(kDType)); }},
      {"sparse_chain", [] { return segmentation(std::make_shared<SparseLinearChain>(kDType)); }},
  };
}

}  // namespace heed::attention
