#include "../../../../attention/mechanisms/pairs/decomposable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::Leaves;
using plain::leaves_of;
using Rows = std::vector<Numbers>;

constexpr std::size_t kB = 3, kL = 5, kT = 4, kD = 3, kH = 2;
const std::vector<Index> kPremises = {kL, 2, 0}, kHypotheses = {3, kT, 2};

// Two layers of relu, of a Sequential whose Linears are "1" and "4".
Numbers feedforward(const Leaves& p, const std::string& name, Numbers x) {
  for (const char* layer : {".1", ".4"}) {
    x = plain::affine(p[name + layer + ".weight"], x, p[name + layer + ".bias"]);
    for (double& each : x) each = std::max(each, 0.0);
  }
  return x;
}

struct Side {
  Numbers compared, sum, weights;  // of all places of the longest row
};

Side plain_side(const Leaves& p, const Rows& own, const Rows& other, std::size_t own_places,
                std::size_t other_places, bool differences) {
  Side out;
  out.sum.assign(kH, 0.0);
  for (std::size_t i = 0; i < own_places; ++i) {
    Numbers scores(other_places, 0.0), seen(kD, 0.0), v(kH, 0.0);
    if (i < own.size()) {
      const Numbers f = feedforward(p, "attend", own[i]);
      for (std::size_t j = 0; j < other.size(); ++j) {
        scores[j] = plain::dot(f, feedforward(p, "attend", other[j]));
      }
      scores = plain::softmax(scores, static_cast<Index>(other.size()));
      for (std::size_t j = 0; j < other.size(); ++j) {
        for (std::size_t c = 0; c < kD; ++c) seen[c] += scores[j] * other[j][c];
      }
      Rows both = {own[i], seen};
      if (differences) {
        both.resize(4);
        for (std::size_t c = 0; c < kD; ++c) both[2].push_back(own[i][c] - seen[c]);
        for (std::size_t c = 0; c < kD; ++c) both[3].push_back(own[i][c] * seen[c]);
      }
      v = feedforward(p, "compare", plain::join(both));
      out.sum = plain::add(out.sum, v);
    }
    out.compared.insert(out.compared.end(), v.begin(), v.end());
    out.weights.insert(out.weights.end(), scores.begin(), scores.end());
  }
  return out;
}

Numbers plain_decomposable(const Leaves& p, bool differences) {
  Rows parts(5);
  const auto append = [](Numbers& to, const Numbers& x) {
    to.insert(to.end(), x.begin(), x.end());
  };
  for (std::size_t b = 0; b < kB; ++b) {
    const Rows a = plain::rows_of(p["premise"], b, kPremises[b]);
    const Rows c = plain::rows_of(p["hypothesis"], b, kHypotheses[b]);
    const Side premise = plain_side(p, a, c, kL, kT, differences);
    const Side hypothesis = plain_side(p, c, a, kT, kL, differences);
    append(parts[0], hypothesis.compared);
    append(parts[1], premise.compared);
    append(parts[2], plain::join({premise.sum, hypothesis.sum}));
    append(parts[3], hypothesis.weights);
    append(parts[4], premise.weights);
  }
  return plain::join(parts);
}

class Decomposable : public SeededTest<31> {
 protected:
  Decomposable() {
    const NoGrad scope;
    for (const auto* made : {&with, &without}) {
      for (Tensor each : made->parameters()) each.copy_from(randn(each.shape(), DType::f64));
    }
  }
  static DecomposableOptions options(bool differences) {
    return {.width = kD, .hidden = kH, .differences = differences, .dtype = DType::f64};
  }
  DecomposableAttention with{options(true)}, without{options(false)};
  Tensor premise = randn({kB, kL, kD}, DType::f64), hypothesis = randn({kB, kT, kD}, DType::f64);

  std::vector<Tensor> run(const DecomposableAttention& made, const Tensor& a,
                          const Tensor& b) const {
    const PairOutput seen = made(a, b, kPremises, kHypotheses, true);
    return {seen.context, seen.premise, seen.pair, seen.weights, seen.premise_weights};
  }
};

TEST_F(Decomposable, IsTheDefinition) {
  for (const bool differences : {false, true}) {
    const DecomposableAttention& made = differences ? with : without;
    const auto leaves = leaves_of(made, {{"premise", premise}, {"hypothesis", hypothesis}});
    const auto ours = [&] { return run(made, premise, hypothesis); };
    plain::expect_same(leaves, ours,
                       [&](const Leaves& p) { return plain_decomposable(p, differences); });
    plain::expect_gradients(leaves, ours, 0);
    plain::expect_gradients(leaves, [&] {
      return std::vector{made(premise, hypothesis, kPremises, kHypotheses).pair};
    });
  }
}

TEST_F(Decomposable, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor a = plain::spoiled(premise, kPremises, value),
           b = plain::spoiled(hypothesis, kHypotheses, value);
    return plain::bits_of(leaves_of(without, {{"premise", a}, {"hypothesis", b}}),
                          [&] { return run(without, a, b); });
  });
}

TEST_F(Decomposable, OrderIsNothingToThePair) {
  const Tensor order(Array::from(std::vector<Index>{4, 2, 0, 1, 3}));
  const Numbers before = numbers(with(premise, hypothesis).pair);
  EXPECT_THAT(numbers(with(index_select(premise, 1, order), hypothesis).pair), near(before));
  EXPECT_FALSE(with(premise, hypothesis).weights.defined());
}

// With so many features that some of them are not 0 whatever was drawn first.
TEST_F(Decomposable, DropsInTrainingOnly) {
  DecomposableAttention made({.width = kD, .hidden = 31, .dropout = 0.5, .dtype = DType::f64});
  const auto drawn = [&] { return numbers(made(premise, hypothesis).pair); };
  EXPECT_NE(drawn(), drawn());
  made.eval();
  EXPECT_EQ(drawn(), drawn());
}

TEST_F(Decomposable, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "decomposable_attention: width 0 and hidden 3 must be positive",
               DecomposableAttention none({.width = 0, .hidden = 3}));
  EXPECT_ERROR_WITH(ShapeError, "decomposable_attention: premise must be [.., n, 3], not f64[3, 5",
                    with(narrow(premise, 2, 0, 2), hypothesis));
  EXPECT_ERROR_WITH(ShapeError, "decomposable_attention: hypothesis must have 3 rows, not 2",
                    with(premise, narrow(hypothesis, 0, 0, 2)));
  EXPECT_ERROR_WITH(ShapeError, "decomposable_attention: 2 lengths for 3 rows of hypothesis",
                    with(premise, hypothesis, {}, {1, 2}));
  EXPECT_ERROR_WITH(DTypeError, "decomposable_attention: hypothesis must be f64",
                    with(premise, to(hypothesis, DType::f32)));
}

}  // namespace
}  // namespace heed::attention
