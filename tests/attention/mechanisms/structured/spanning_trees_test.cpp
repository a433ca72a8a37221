#include "../../../../attention/mechanisms/structured/spanning_trees.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;

constexpr Index kB = 2, kT = 4, kE = 3;
// Of the second the first token takes no part.
const std::vector<bool> kAllowed = {true, true, true, true, false, true, true, true};

Tensor allowed() { return Tensor(Array::from(kAllowed, {kB, kT})); }

struct Counted {
  Numbers parents, roots, logs;
};

// All ways to give each token a parent, itself where it is the root, of which those count that have
// one root and no ring.
Counted by_counting(const std::function<double(Index, Index, Index)>& f,
                    const std::function<double(Index, Index)>& root, bool masked) {
  Counted out;
  for (Index b = 0; b < kB; ++b) {
    std::vector<Index> tokens;
    for (Index t = 0; t < kT; ++t) {
      if (!masked || kAllowed[static_cast<std::size_t>(b * kT + t)]) tokens.push_back(t);
    }
    const std::size_t n = tokens.size();
    Numbers parents(kT * kT, 0.0), roots(kT, 0.0);
    std::vector<std::size_t> parent(n, 0);
    double total = 0;
    for (;;) {
      std::size_t heads = 0;
      bool tree = true;
      for (std::size_t j = 0; j < n; ++j) {
        if (parent[j] == j) ++heads;
        std::size_t at = j, steps = 0;
        while (parent[at] != at && steps <= n) at = parent[at], ++steps;
        tree = tree && steps <= n;
      }
      if (tree && heads == 1) {
        double log = 0;
        for (std::size_t j = 0; j < n; ++j) {
          log += parent[j] == j ? root(b, tokens[j]) : f(b, tokens[j], tokens[parent[j]]);
        }
        total += std::exp(log);
        for (std::size_t j = 0; j < n; ++j) {
          if (parent[j] == j) {
            at(roots, tokens[j]) += std::exp(log);
          } else {
            at(parents, tokens[j] * kT + tokens[parent[j]]) += std::exp(log);
          }
        }
      }
      std::size_t i = 0;
      while (i < n && ++parent[i] == n) parent[i++] = 0;
      if (i == n) break;
    }
    for (const double p : parents) out.parents.push_back(p / total);
    for (const double p : roots) out.roots.push_back(p / total);
    out.logs.push_back(std::log(total));
  }
  return out;
}

class SpanningTrees : public testing::TestWithParam<bool> {
 protected:
  const bool seeded_ = (manual_seed(8), true);  // before what is drawn below
  Tensor scores = randn({kB, kT, kT}, DType::f64).set_requires_grad();
  Tensor roots = randn({kB, kT}, DType::f64).set_requires_grad();
  std::vector<Tensor> ours() const {
    const TreeMarginals p = spanning_trees(scores, roots, GetParam() ? allowed() : Tensor());
    return {p.parents, p.roots, p.log_partition};
  }
  // By counting all of them, with gradients of both orders.
  void AreTrees() const {
    const std::vector<NamedLeaf> leaves = {{"scores", scores}, {"roots", roots}};
    plain::expect_same(
        leaves, [&] { return ours(); },
        [&](const Leaves& p) {
          const Counted all =
              by_counting([&](Index b, Index j, Index i) { return p["scores"](b, j, i); },
                          [&](Index b, Index j) { return p["roots"](b, j); }, GetParam());
          return plain::join({all.parents, all.roots, all.logs});
        });
    plain::expect_gradients(leaves, [&] { return ours(); });
  }
  // Of the log partition.
  void AreGradients() {
    scores.zero_grad();
    roots.zero_grad();
    sum(ours()[2]).backward();
    EXPECT_LT(difference(scores.grad(), ours()[0].detach()), 1e-13);
    EXPECT_LT(difference(roots.grad(), ours()[1].detach()), 1e-13);
  }
};

INSTANTIATE_TEST_SUITE_P(All, SpanningTrees, testing::Bool(), [](const auto& masked) {
  return masked.param ? std::string("masked") : std::string("whole");
});

TEST_P(SpanningTrees, AreSumsOverAllTrees) { AreTrees(); }

// Of the second, two tokens that each want the other for a parent, as one of them must not: what is
// left is a small part of every sum. The first stays as it is alone, to the last bit.
TEST_P(SpanningTrees, AreSumsOverAllTreesWhereRingsAreFarAboveThem) {
  const std::vector<Tensor> tame = ours();
  const Tensor drawn = scores.detach();
  for (const double ring : {40, 400}) {
    Array far = drawn.array().clone();
    far.mutable_data<double>()[kT * kT + 1 * kT + 2] += ring;
    far.mutable_data<double>()[kT * kT + 2 * kT + 1] += ring;
    scores = Tensor(far).set_requires_grad();
    AreTrees();
    AreGradients();
    const std::vector<Tensor> both = ours();
    for (std::size_t i = 0; i < tame.size(); ++i) {
      EXPECT_TRUE(same_bits(narrow(both[i], 0, 0, 1), narrow(tame[i], 0, 0, 1))) << i;
    }
  }
}

TEST_P(SpanningTrees, AreTheGradientOfTheLogPartition) { AreGradients(); }

// Each token that takes part has a parent or is the root; there is one root.
TEST_P(SpanningTrees, SumToOne) {
  const Tensor far = scores * 30;
  const TreeMarginals p = spanning_trees(far, roots, GetParam() ? allowed() : Tensor());
  const Numbers sums = numbers(sum(p.parents, {-1}) + p.roots);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(sums[i], GetParam() && !kAllowed[i] ? 0 : 1, 1e-9);
  }
  EXPECT_THAT(numbers(sum(p.roots, {-1})), near(Numbers(kB, 1), 1e-9));
}

TEST(SpanningTreesOf, OneTokenAndNone) {
  const TreeMarginals one = spanning_trees(zeros({1, 1}, DType::f64), full({1}, 3.5, DType::f64));
  EXPECT_EQ(numbers(one.roots), Numbers{1});
  EXPECT_EQ(numbers(one.parents), Numbers{0});
  EXPECT_NEAR(one.log_partition.item(), 3.5, 1e-15);
  const TreeMarginals none = spanning_trees(zeros({2, 0, 0}), zeros({2, 0}));
  EXPECT_EQ(none.log_partition.array().to_vector<float>(), (std::vector<float>{0, 0}));
  const TreeMarginals hidden = spanning_trees(zeros({2, 2}, DType::f64), zeros({2}, DType::f64),
                                              Tensor(Array::zeros({2}, DType::boolean)));
  EXPECT_EQ(numbers(hidden.roots), Numbers(2, 0));
  EXPECT_EQ(hidden.log_partition.item(), 0);
}

// Infinite scores rule edges out; where no tree is left there is nothing to share.
TEST(SpanningTreesOf, EdgesThatAreRuledOut) {
  const double never = -INFINITY;
  const Tensor roots = tensor({1, never, 2}, {3}, DType::f64);
  const Tensor chain = tensor({0, never, never, 5, 0, never, never, never, 0}, {3, 3}, DType::f64);
  EXPECT_ERROR(ValueError, "spanning_trees: the scores leave no tree a weight above 0",
               spanning_trees(chain, roots));
  const Tensor tree = tensor({0, never, never, 5, 0, never, 7, never, 0}, {3, 3}, DType::f64);
  const TreeMarginals one = spanning_trees(tree, roots);
  EXPECT_THAT(numbers(one.roots), near(Numbers{1, 0, 0}));
  EXPECT_THAT(numbers(one.parents), near(Numbers{0, 0, 0, 1, 0, 0, 1, 0, 0}));
  EXPECT_NEAR(one.log_partition.item(), 13, 1e-9);
}

// However far they are below the others, as long as they are finite.
TEST(SpanningTreesOf, EdgesThatAreFarBelow) {
  const double far = -6e4;
  const Tensor scores = tensor({0, far, far, far, 0, 0, far, 0, 0}, {3, 3}, DType::f64);
  const TreeMarginals p = spanning_trees(scores, tensor({0, far, far}, {3}, DType::f64));
  EXPECT_THAT(numbers(p.parents), near(Numbers{0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 0}));
  EXPECT_THAT(numbers(p.roots), near(Numbers{1, 0, 0}));
  EXPECT_NEAR(p.log_partition.item(), far + std::log(2.0), 1e-9);
}

TEST(SpanningTreesOf, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(GradError, "spanning_trees: roots is undefined",
               spanning_trees(zeros({2, 2}), Tensor()));
  EXPECT_ERROR(ShapeError,
               "spanning_trees: scores must be [.., T, T] and roots [.., T], not f32[2, 3] and "
               "f32[2]",
               spanning_trees(zeros({2, 3}), zeros({2})));
  EXPECT_ERROR(ShapeError,
               "spanning_trees: scores must be [.., T, T] and roots [.., T], not f32[3, 3] and "
               "f32[2]",
               spanning_trees(zeros({3, 3}), zeros({2})));
  EXPECT_ERROR(DTypeError, "spanning_trees: takes f32 or f64, not i64",
               spanning_trees(zeros({2, 2}, DType::i64), zeros({2})));
  EXPECT_ERROR(DTypeError, "spanning_trees: dtypes differ: scores are f32[2, 2], roots are f64[2]",
               spanning_trees(zeros({2, 2}), zeros({2}, DType::f64)));
}

TEST(TreeAttention, IsThePapersSums) {
  manual_seed(9);
  const TreeAttention made({.width = kE, .hidden = 2, .dtype = DType::f64});
  const Tensor x = randn({kB, kT, kE}, DType::f64);
  const auto leaves = leaves_of(made, {{"x", x}});
  const auto ours = [&] {
    const TreeAttended seen = made(x, Mask(allowed()), true);
    return std::vector<Tensor>{seen.context, seen.weights, seen.roots};
  };
  plain::expect_same(leaves, ours, [](const Leaves& p) {
    const auto token = [&](Index b, Index t) { return p["x"].row({b, t}); };
    const auto f = [&](Index b, Index j, Index i) {
      const Numbers from = plain::tanh(plain::affine(p["parent_projection.weight"], token(b, i)));
      const Numbers to = plain::tanh(plain::affine(p["child_projection.weight"], token(b, j)));
      double out = 0;
      for (Index r = 0; r < 2; ++r) {
        for (Index c = 0; c < 2; ++c) out += at(from, r) * p["affinity"](r, c) * at(to, c);
      }
      return out;
    };
    const auto root = [&](Index b, Index j) {
      return plain::dot(p["root_vector"].values(), token(b, j));
    };
    const Counted tree = by_counting(f, root, true);
    Numbers contexts;
    for (Index b = 0; b < kB; ++b) {
      for (Index i = 0; i < kT; ++i) {
        const bool counts = kAllowed[static_cast<std::size_t>(b * kT + i)];
        Numbers own(kE, 0.0), parent(kE, 0.0), children(kE, 0.0);
        for (Index d = 0; d < kE && counts; ++d) {
          at(own, d) = at(token(b, i), d);
          at(parent, d) = at(tree.roots, b * kT + i) * p["root"](d);
          for (Index j = 0; j < kT; ++j) {
            at(parent, d) += at(tree.parents, (b * kT + i) * kT + j) * at(token(b, j), d);
            at(children, d) += at(tree.parents, (b * kT + j) * kT + i) * at(token(b, j), d);
          }
        }
        const Numbers y =
            plain::tanh(plain::affine(p["out.weight"], plain::join({own, parent, children})));
        contexts.insert(contexts.end(), y.begin(), y.end());
      }
    }
    return plain::join({contexts, tree.parents, tree.roots});
  });
  plain::expect_gradients(leaves, ours, 4);
}

TEST(TreeAttention, RefusesSizes) {
  EXPECT_ERROR(ValueError, "tree_attention: width 0 and hidden 2 must be positive",
               TreeAttention({.width = 0, .hidden = 2}));
  EXPECT_ERROR(ValueError, "tree_attention: width 3 and hidden 0 must be positive",
               TreeAttention({.width = 3}));
}

}  // namespace
}  // namespace heed::attention
