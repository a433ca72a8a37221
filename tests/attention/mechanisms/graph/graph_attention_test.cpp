#include "../../../../attention/mechanisms/graph/graph_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;
using Kind = GraphAttentionKind;

constexpr Index kN = 7, kIn = 5, kH = 2, kD = 3;

struct Case {
  Kind kind;
  bool average, shared;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << (each.kind == Kind::gat ? "gat" : "gat_v2") << (each.average ? "_average" : "")
       << (each.shared ? "_shared" : "");
}

// The papers' sums over a list of edges, as it came.
Numbers plain_graph_attention(const Leaves& p, const Case& how, const std::vector<Index>& sources,
                              const std::vector<Index>& targets) {
  const Block& x = p["x"];
  const auto leaky = [](double e) { return e > 0 ? e : 0.2 * e; };
  const auto row = [&](Index i) { return x.row({i}); };
  const bool v2 = how.kind == Kind::gat_v2;
  const std::string to =
      v2 && !how.shared ? "target_projection.weight" : "source_projection.weight";
  const std::size_t M = sources.size();
  std::vector<Numbers> out(kN, Numbers(static_cast<std::size_t>(kH * kD), 0.0));
  Numbers weights(M * kH);
  for (Index h = 0; h < kH; ++h) {
    Numbers e(M);
    for (std::size_t m = 0; m < M; ++m) {
      const Numbers t = plain::affine(p[to], row(targets[m]));
      const Numbers s = plain::affine(p["source_projection.weight"], row(sources[m]));
      double score = 0;
      for (Index d = 0; d < kD; ++d) {
        const double ti = at(t, h * kD + d), si = at(s, h * kD + d);
        score += v2 ? p["score.score_vector"](h, d) * leaky(ti + si)
                    : p["score.target_vector"](h, d) * ti + p["score.source_vector"](h, d) * si;
      }
      e[m] = v2 ? score : leaky(score);
    }
    for (std::size_t m = 0; m < M; ++m) {
      double total = 0;
      for (std::size_t other = 0; other < M; ++other) {
        if (targets[other] == targets[m]) total += std::exp(e[other]);
      }
      const double alpha = std::exp(e[m]) / total;
      weights[m * kH + static_cast<std::size_t>(h)] = alpha;
      const Numbers s = plain::affine(p["source_projection.weight"], row(sources[m]));
      for (Index d = 0; d < kD; ++d) {
        at(out[static_cast<std::size_t>(targets[m])], h * kD + d) += alpha * at(s, h * kD + d);
      }
    }
  }
  Numbers all;
  for (const Numbers& node : out) {
    for (Index d = 0; d < (how.average ? kD : kH * kD); ++d) {
      const double y = how.average ? (at(node, d) + at(node, kD + d)) / 2 : at(node, d);
      all.push_back(y + p["bias"](d));
    }
  }
  all.insert(all.end(), weights.begin(), weights.end());
  return all;
}

GraphAttentionOptions options(const Case& how) {
  return {.kind = how.kind,
          .input = kIn,
          .head_width = kD,
          .heads = kH,
          .average = how.average,
          .shared = how.shared,
          .dtype = DType::f64};
}

class GraphAttentions : public testing::TestWithParam<Case> {
 protected:
  const bool seeded_ = (manual_seed(23), true);  // before what is drawn below
  GraphAttentions() {
    x = randn({kN, kIn}, DType::f64);
    nn::normal_(made.bias, 0, 1);
  }
  // Node 4 has no edge that ends there, 5 none at all.
  const std::vector<Index> sources = {0, 3, 6, 2, 2, 4, 1, 0, 6};
  const std::vector<Index> targets = {1, 1, 0, 3, 6, 6, 6, 2, 2};
  const Edges edges{sources, targets, kN};
  GraphAttention made{options(GetParam())};
  Tensor x;
};

INSTANTIATE_TEST_SUITE_P(All, GraphAttentions,
                         testing::Values(Case{Kind::gat, false, false},
                                         Case{Kind::gat, true, false},
                                         Case{Kind::gat_v2, false, false},
                                         Case{Kind::gat_v2, true, true}),
                         testing::PrintToStringParamName());

TEST_P(GraphAttentions, AreThePapersSumsOverEdges) {
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const Attended out = made(x, edges, true);
    return std::vector<Tensor>{out.context, out.weights};
  };
  plain::expect_same(leaves, ours, [&](const Leaves& p) {
    return plain_graph_attention(p, GetParam(), sources, targets);
  });
  plain::expect_gradients(leaves, ours, 5);
}

TEST_P(GraphAttentions, AreTheSameAsABlockUnderAMask) {
  const auto leaves = leaves_of(made, {{"x", x}});
  const Tensor factor = randn({kN, GetParam().average ? kD : kH * kD}, DType::f64);
  const auto run = [&](bool block) {
    const Tensor y = block
                         ? squeeze(made(unsqueeze(x, 0), {.mask = Mask(edges.block())}).context, 0)
                         : made(x, edges).context;
    return std::vector<Tensor>{y * factor};
  };
  const auto sparse = plain::bits_of(leaves, [&] { return run(false); });
  const auto dense = plain::bits_of(leaves, [&] { return run(true); });
  ASSERT_EQ(sparse.size(), dense.size());
  for (std::size_t i = 0; i < sparse.size(); ++i) EXPECT_THAT(sparse[i], near(dense[i], 1e-11));
}

TEST_P(GraphAttentions, ANodeWithoutEdgesGetsTheBias) {
  const Tensor y = made(x, edges).context;
  EXPECT_LT(difference(select(y, 0, 5), made.bias), 1e-15);
  EXPECT_LT(difference(made(x, Edges({}, {}, kN)).context, expand(made.bias, y.shape())), 1e-15);
}

TEST_P(GraphAttentions, OnlyNeighboursNotice) {
  Array dirty = x.array().clone();
  dirty.mutable_data<double>()[4 * kIn] = std::nan("");
  const Tensor before = made(x, edges).context, after = made(Tensor(dirty), edges).context;
  for (Index i = 0; i < kN; ++i) {
    const Numbers have = numbers(select(after, 0, i));
    if (i == 6) {
      EXPECT_TRUE(std::isnan(have[0]));
    } else {
      EXPECT_EQ(have, numbers(select(before, 0, i))) << i;
    }
  }
}

// A block of these nodes would be of 1.6 GB for a head.
TEST(GraphAttention, TakesGraphsOfWhichNoBlockCouldBeMade) {
  manual_seed(5);
  constexpr Index kNodes = 20000, kEach = 3;
  std::vector<Index> from, to;
  for (Index i = 0; i < kNodes; ++i) {
    for (Index j = 0; j < kEach; ++j) {
      from.push_back((7 * i + 13 * j * j + 1) % kNodes);
      to.push_back(i);
    }
  }
  GraphAttention made({.input = kIn, .head_width = kD, .heads = kH});
  Tensor nodes = randn({kNodes, kIn}).set_requires_grad();
  const Tensor y = made(nodes, Edges(from, to, kNodes)).context;
  sum(y * y).backward();
  // As in a graph of its own, of the last node and those it sees.
  const auto last = static_cast<std::size_t>(kNodes * kEach - kEach);
  const Tensor seen = index_select(nodes.detach(), 0,
                                   Tensor(Array::from(std::vector<Index>{
                                       kNodes - 1, from[last], from[last + 1], from[last + 2]})));
  const Tensor alone = made(seen, Edges({1, 2, 3}, {0, 0, 0}, 4)).context;
  EXPECT_LT(relative_difference(select(y, 0, kNodes - 1), select(alone, 0, 0)), 1e-5);
  EXPECT_TRUE(nodes.grad().defined());
}

TEST(GraphAttention, DropsWeightsInTraining) {
  manual_seed(3);
  GraphAttention made({.input = kIn, .head_width = kD, .dropout = 1, .bias = false});
  const Tensor x = randn({3, kIn});
  const Edges edges({0, 1, 2}, {1, 2, 0}, 3);
  EXPECT_EQ(made(x, edges).context.array().to_vector<float>(), std::vector<float>(9, 0));
  EXPECT_EQ(made(unsqueeze(x, 0), Terms{}).context.array().to_vector<float>(),
            std::vector<float>(9, 0));
  made.eval();
  EXPECT_NE(made(x, edges).context.array().to_vector<float>()[0], 0);
  EXPECT_NE(made(unsqueeze(x, 0), Terms{}).context.array().to_vector<float>()[0], 0);
  // What a call says wins over the options.
  GraphAttention keeps({.input = kIn, .head_width = kD, .bias = false});
  EXPECT_EQ(keeps(unsqueeze(x, 0), Terms{.dropout = 1}).context.array().to_vector<float>(),
            std::vector<float>(9, 0));
}

// A bias of each head's, or of their mean; hooks hear of what is made of edges as of a block.
TEST(GraphAttention, HooksHearOfBothForms) {
  GraphAttention made({.input = kIn, .head_width = kD});
  int heard = 0;
  made.register_forward_hook([&](const nn::Module&, const Tensor& out) {
    ++heard;
    return out * 0;
  });
  const Tensor x = randn({3, kIn});
  EXPECT_EQ(sum(abs(made(x, Edges({0, 1, 2}, {1, 2, 0}, 3)).context)).item(), 0);
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(sum(abs(made(unsqueeze(x, 0), Terms{}).context)).item(), 0);
  EXPECT_EQ(heard, 2);
}

TEST(GraphAttention, RefusesWhatDoesNotFit) {
  const GraphAttention made({.input = kIn, .head_width = kD});
  const Edges edges({0, 1}, {1, 0}, 3);
  EXPECT_ERROR(ShapeError, "graph_attention: x must be [.., n, 5], not f32[3, 4]",
               made(zeros({3, 4}), edges));
  EXPECT_ERROR(ShapeError,
               "graph_attention: x must be [N, 5], not f32[4, 5], for 3 nodes and 2 edges",
               made(zeros({4, 5}), edges));
  EXPECT_ERROR(ShapeError,
               "graph_attention: x must be [N, 5], not f32[1, 3, 5], for 3 nodes and 2 edges",
               made(zeros({1, 3, 5}), edges));
  EXPECT_ERROR(ShapeError, "graph_attention: x must be [B, n, width], not f32[3, 5]",
               made(zeros({3, 5}), Terms{}));
  EXPECT_ERROR(DTypeError, "graph_attention: x must be f32, not f64[3, 5]",
               made(zeros({3, 5}, DType::f64), edges));
  EXPECT_ERROR(ValueError, "graph_attention: input 0, head_width 3 and heads 1 must be positive",
               GraphAttention({.input = 0, .head_width = 3}));
  EXPECT_ERROR(ValueError, "graph_attention: dropout 1.5 is not in [0, 1]",
               GraphAttention({.input = 2, .head_width = 3, .dropout = 1.5}));
}

}  // namespace
}  // namespace heed::attention
