// Mechanisms over graphs and structures learn tasks that need them, and that their counterparts, of
// the same size and after the same steps, do not learn.
#include <gtest/gtest.h>

#include <algorithm>

#include "../../../attention/mechanisms/graph/graph_attention.h"
#include "../../../attention/mechanisms/graph/graph_transformer.h"
#include "../../../attention/mechanisms/structured/linear_chain.h"
#include "../../../attention/mechanisms/structured/sinkhorn.h"
#include "../../../attention/mechanisms/structured/spanning_trees.h"
#include "../../../attention/mechanisms/structured/sparse_chain.h"
#include "../../../attention/scores/additive.h"
#include "../../../attention/scores/general.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/generator.h"
#include "../../../nn/linear.h"
#include "learning_task.h"

namespace heed::attention {
namespace {

// Dictionary look-up (Brody et al. 2022, section 4.1): each of kKeys nodes that ask names one of as
// many that hold a key and a value, all of which they look at. What is the value?
constexpr Index kKeys = 6;

// Nodes of one graph: those that ask, then those that hold. Features: what is asked for, key,
// value.
TaskBatch look_up(Dice& dice, Index count) {
  Ids asked, keys, values, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids value = dice.order(kKeys);
    for (Index i = 0; i < kKeys; ++i) {
      asked.push_back(i);
      keys.push_back(kKeys);
      values.push_back(kKeys);
      answers.push_back(value[static_cast<std::size_t>(i)]);
    }
    for (Index i = 0; i < kKeys; ++i) {
      asked.push_back(kKeys);
      keys.push_back(i);
      values.push_back(value[static_cast<std::size_t>(i)]);
    }
  }
  const Shape shape{count * 2 * kKeys};
  const auto hot = [&](const Ids& x) { return one_hot(ids(x, shape), kKeys + 1, DType::f32); };
  return {{concat({hot(asked), hot(keys), hot(values)}, -1)}, ids(answers, {count * kKeys})};
}

class LookUp : public nn::Module {
 public:
  explicit LookUp(GraphAttentionKind kind) : kind_(kind) {}

 private:
  GraphAttentionKind kind_;

 public:
  GraphAttention& attend = child<GraphAttention>(
      "attend", GraphAttentionOptions{.kind = kind_, .input = 3 * (kKeys + 1), .head_width = 24});
  nn::Linear& out = child<nn::Linear>("out", 24, kKeys);

  // Those that hold go to those that ask, of each graph of the batch.
  Tensor operator()(const Tensor& x) const {
    const Index count = x.size(0) / (2 * kKeys);
    Ids from, to;
    for (Index b = 0; b < count; ++b) {
      for (Index i = 0; i < kKeys; ++i) {
        for (Index j = 0; j < kKeys; ++j) {
          to.push_back(b * 2 * kKeys + i);
          from.push_back(b * 2 * kKeys + kKeys + j);
        }
      }
    }
    const Tensor seen = attend(x, Edges(from, to, x.size(0))).context;
    const Tensor asking = narrow(reshape(seen, {count, 2 * kKeys, 24}), 1, 0, kKeys);
    return reshape(out(asking), {count * kKeys, kKeys});
  }
};

TEST(TasksOfGraphs, DynamicAttentionLooksUpWhatStaticAttentionRanks) {
  double figures[2];
  for (const auto kind : {GraphAttentionKind::gat, GraphAttentionKind::gat_v2}) {
    manual_seed(1);
    LookUp made(kind);
    const bool v2 = kind == GraphAttentionKind::gat_v2;
    figures[v2 ? 1 : 0] = learnt(
        v2 ? "GATv2" : "  GAT: one order for all that look", made, look_up,
        [&](const auto& x) { return made(x[0]); }, 500, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.6);
}

// Each node has neighbours, one of which bears a mark: what is its colour?
constexpr Index kColours = 4, kBeside = 5;

TaskBatch marked(Dice& dice, Index count) {
  Ids colours, marks, answers;
  for (Index b = 0; b < count; ++b) {
    const Index meant = dice(kBeside);
    for (Index i = 0; i < kBeside; ++i) {
      colours.push_back(dice(kColours));
      marks.push_back(i == meant ? 1 : 0);
    }
    answers.push_back(colours[colours.size() - static_cast<std::size_t>(kBeside - meant)]);
  }
  const Shape shape{count * kBeside};
  return {{concat({one_hot(ids(colours, shape), kColours, DType::f32),
                   one_hot(ids(marks, shape), 2, DType::f32)},
                  -1)},
          ids(answers, {count})};
}

TEST(TasksOfGraphs, GraphAttentionPicksAmongNeighbours) {
  double figures[2];
  for (const bool attends : {true, false}) {
    manual_seed(2);
    struct Both : nn::Module {
      GraphAttention& attend = child<GraphAttention>(
          "attend", GraphAttentionOptions{
                        .kind = GraphAttentionKind::gat, .input = kColours + 2, .head_width = 12});
      nn::Linear& out = child<nn::Linear>("out", 12, kColours);
    } both;
    figures[attends ? 1 : 0] = learnt(
        attends ? "GAT" : "  without: the neighbours' mean", both, marked,
        [&](const auto& x) {
          // The node itself stands behind its neighbours, and knows nothing.
          const Index count = x[0].size(0) / kBeside;
          const Tensor nodes = concat({x[0], zeros({count, kColours + 2})}, 0);
          Ids from, to;
          for (Index m = 0; m < count * kBeside; ++m) {
            from.push_back(m);
            to.push_back(count * kBeside + m / kBeside);
          }
          if (!attends) {
            const Tensor own = reshape(x[0], {count, kBeside, kColours + 2});
            return both.out(elu(both.attend.source_projection(sum(own, {1}) * (1.0 / kBeside))));
          }
          const Tensor seen = both.attend(nodes, Edges(from, to, nodes.size(0))).context;
          return both.out(elu(narrow(seen, 0, count * kBeside, count)));
        },
        300, 0.01);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.7);
}

// A ring of nodes in any order: what is the colour of the node opposite?
constexpr Index kRing = 6;

TaskBatch opposite(Dice& dice, Index count) {
  Ids colours, order, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids ring = dice.order(kRing);  // node at each place of the ring
    Ids own(static_cast<std::size_t>(kRing)), beyond(own);
    for (Index& colour : own) colour = dice(kColours);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      beyond[static_cast<std::size_t>(ring[i])] =
          own[static_cast<std::size_t>(ring[(i + kRing / 2) % kRing])];
    }
    order.insert(order.end(), ring.begin(), ring.end());
    colours.insert(colours.end(), own.begin(), own.end());
    answers.insert(answers.end(), beyond.begin(), beyond.end());
  }
  return {{one_hot(ids(colours, {count, kRing}), kColours, DType::f32), ids(order, {count, kRing})},
          ids(answers, {count * kRing})};
}

std::vector<Edges> rings(const Tensor& order) {
  const Ids nodes = order.array().to_vector<Index>();
  std::vector<Edges> out;
  for (std::size_t first = 0; first < nodes.size(); first += kRing) {
    Ids from, to;
    for (std::size_t i = 0; i < kRing; ++i) {
      from.push_back(nodes[first + i]);
      to.push_back(nodes[first + (i + 1) % kRing]);
    }
    out.emplace_back(from, to, kRing);
  }
  return out;
}

class RingReader : public nn::Module {
 public:
  RingReader(Index positions, Index distances) : positions_(positions), distances_(distances) {}

 private:
  Index positions_, distances_;

 public:
  nn::Linear& in = child<nn::Linear>("in", kColours, 16);
  GraphTransformer& read = child<GraphTransformer>(
      "read",
      GraphTransformerOptions{.layers = 1,
                              .transformer = {.width = 16, .heads = 2, .hidden = 32, .dropout = 0},
                              .positions = positions_,
                              .max_distance = distances_});
  nn::Linear& out = child<nn::Linear>("out", 16, kColours);

  Tensor operator()(const std::vector<Tensor>& x) const {
    const GraphStructure graphs =
        graph_structure(rings(x[1]), kRing, {positions_, distances_, 0, DType::f32});
    return reshape(out(read(in(x[0]), graphs).output), {-1, kColours});
  }
};

TEST(TasksOfGraphs, AGraphTransformerKnowsHowFarNodesAre) {
  manual_seed(3);
  RingReader by_distance(0, 4), by_position(4, 0), blind(0, 0);
  const double far = learnt(
      "graph Transformer, distances", by_distance, opposite,
      [&](const auto& x) { return by_distance(x); }, 300, 0.01);
  const double near = learnt(
      "graph Transformer, Laplacian positions", by_position, opposite,
      [&](const auto& x) { return by_position(x); }, 600, 0.01);
  const double guessed = learnt(
      "  without: a set of nodes", blind, opposite, [&](const auto& x) { return blind(x); }, 300,
      0.01);
  EXPECT_GT(far, 0.9);
  EXPECT_GT(near, 0.9);
  EXPECT_LT(guessed, 0.6);
}

// Three places of one colour stand between two marks; as many of another lie about, and others.
constexpr Index kLine = 11, kInside = 3;

TaskBatch between(Dice& dice, Index count) {
  Ids colours, marks, answers;
  for (Index b = 0; b < count; ++b) {
    const Index first = 1 + dice(kLine - kInside - 1);
    const Ids palette = dice.order(kColours);
    const Index colour = palette[0];
    Ids outside;  // of the places that are no marks: as many of one colour as are inside
    for (Index i = 0; i < kLine - kInside - 2; ++i) {
      outside.push_back(i < kInside ? palette[1] : palette[static_cast<std::size_t>(2 + dice(2))]);
    }
    Ids order = dice.order(static_cast<Index>(outside.size()));
    for (Index t = 0; t < kLine; ++t) {
      const bool inside = t >= first && t < first + kInside;
      const bool mark = t == first - 1 || t == first + kInside;
      if (inside || mark) {
        colours.push_back(colour);
      } else {
        colours.push_back(outside[static_cast<std::size_t>(order.back())]);
        order.pop_back();
      }
      marks.push_back(t == first - 1 ? 1 : t == first + kInside ? 2 : 0);
    }
    answers.push_back(colour);
  }
  const Shape shape{count, kLine};
  // Marks have no colour.
  const Tensor mark = one_hot(ids(marks, shape), 3, DType::f32);
  const Tensor colour = one_hot(ids(colours, shape), kColours, DType::f32) * narrow(mark, 2, 0, 1);
  return {{concat({colour, mark}, -1)}, ids(answers, {count})};
}

class SegmentReader : public nn::Module {
 public:
  Tensor& query = parameter("query", zeros({1, 4}));
  Additive& score = child<Additive>("score", 4, kColours + 3, 16);
  std::shared_ptr<Normaliser> chain;  // null: softmax
  explicit SegmentReader(std::shared_ptr<Normaliser> by) : chain(std::move(by)) {
    if (chain != nullptr) shared_child("chain", chain);
  }
  nn::Linear& out = child<nn::Linear>("out", kColours + 3, kColours);

  Tensor operator()(const Tensor& x) const {
    const Tensor q = expand(query, {x.size(0), 1, 4});
    const Attended seen = attend(score, q, x, x, {.normaliser = chain.get()});
    return out(squeeze(seen.context, 1));
  }
};

TEST(TasksOfStructures, AChainLooksAtASegment) {
  const auto figure = [](const char* what, const std::shared_ptr<Normaliser>& chain, int steps,
                         double lr) {
    manual_seed(4);
    SegmentReader made(chain);
    return learnt(
        what, made, between, [&](const auto& x) { return made(x[0]); }, steps, lr);
  };
  EXPECT_LT(figure("  without: softmax, place by place", nullptr, 500, 0.02), 0.7);
  EXPECT_GT(figure("linear chain", std::make_shared<LinearChain>(), 500, 0.02), 0.9);
  // Slower, and from segments: what is not looked at has no gradient.
  EXPECT_LT(figure("  without: softmax, slower", nullptr, 2000, 0.002), 0.7);
  auto sparse = std::make_shared<SparseLinearChain>();
  for (const Index i : {0, 3}) Array(sparse->transitions.array()).mutable_data<float>()[i] = 0.5F;
  EXPECT_GT(figure("SparseMAP", sparse, 2000, 0.002), 0.9);
}

// Tokens of a chain, in any order, one of which is the root: who is the parent, towards it, of
// those in the middle?
constexpr Index kLinks = 9;

TaskBatch parents(Dice& dice, Index count) {
  Ids links, roots, answers;
  for (Index b = 0; b < count; ++b) {
    const Ids order = dice.order(kLinks);  // link of each token
    const Index root = dice(kLinks);
    for (const Index link : order) {
      links.push_back(link);
      roots.push_back(link == root ? 1 : 0);
      if (link == root || link < 2 || link > kLinks - 3) {
        answers.push_back(-100);
        continue;
      }
      const Index parent = link < root ? link + 1 : link - 1;
      answers.push_back(std::find(order.begin(), order.end(), parent) - order.begin());
    }
  }
  const Shape shape{count, kLinks};
  return {{concat({one_hot(ids(links, shape), kLinks, DType::f32),
                   one_hot(ids(roots, shape), 2, DType::f32)},
                  -1)},
          ids(answers, {count * kLinks})};
}

TEST(TasksOfStructures, TreesKnowWhoIsTheParent) {
  double figures[2];
  for (const bool tree : {false, true}) {
    manual_seed(5);
    TreeAttention made({.width = kLinks + 2, .hidden = 16});
    figures[tree ? 1 : 0] = learnt(
        tree ? "non-projective trees" : "  without: softmax over each one's parents", made, parents,
        [&](const auto& x) {
          const Tensor to = tanh(made.child_projection(x[0]));
          const Tensor from = tanh(made.parent_projection(x[0]));
          const Tensor f = matmul(to, transpose(matmul(from, made.affinity), 1, 2));
          const Tensor p = tree ? made(x[0], Mask(), true).weights : softmax(f, -1);
          return reshape(log(p + 1e-6), {-1, kLinks});
        },
        500, 0.02);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.85);
}

// The first query likes one kind of key, the second that and another, and so on, in any order:
// there is one perfect matching, which no row knows of.
constexpr Index kMatched = 4;

TaskBatch matching(Dice& dice, Index count) {
  Ids keys, answers;
  std::vector<float> likes;
  for (Index b = 0; b < count; ++b) {
    const Ids kinds = dice.order(kMatched), keys_of = dice.order(kMatched);
    for (const Index rank : dice.order(kMatched)) {
      std::vector<float> liked(static_cast<std::size_t>(kMatched), 0);
      for (Index i = 0; i <= rank; ++i) {
        liked[static_cast<std::size_t>(kinds[static_cast<std::size_t>(i)])] = 1;
      }
      likes.insert(likes.end(), liked.begin(), liked.end());
      const Index own = kinds[static_cast<std::size_t>(rank)];
      answers.push_back(std::find(keys_of.begin(), keys_of.end(), own) - keys_of.begin());
    }
    keys.insert(keys.end(), keys_of.begin(), keys_of.end());
  }
  return {{Tensor(Array::from(likes, {count, kMatched, kMatched})),
           one_hot(ids(keys, {count, kMatched}), kMatched, DType::f32)},
          ids(answers, {count * kMatched})};
}

TEST(TasksOfStructures, DoublyStochasticWeightsMatch) {
  double figures[2];
  for (const bool matched : {false, true}) {
    manual_seed(6);
    General made(kMatched, kMatched);
    const Sinkhorn sinkhorn({.iterations = 30});
    figures[matched ? 1 : 0] = learnt(
        matched ? "Sinkhorn" : "  without: softmax, row by row", made, matching,
        [&](const auto& x) {
          const Attended seen =
              attend(made, x[0], x[1], x[1],
                     {.normaliser = matched ? &sinkhorn : nullptr, .need_weights = true});
          return reshape(log(seen.weights + 1e-6), {-1, kMatched});
        },
        400, 0.05);
  }
  EXPECT_GT(figures[1], 0.9);
  EXPECT_LT(figures[0], 0.65);
}

}  // namespace
}  // namespace heed::attention
