#include "../../../../attention/mechanisms/pairs/two_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 3, kL = 5, kT = 4, kD = 3, kH = 2;
const std::vector<Index> kPremises = {kL, 2, 1}, kHypotheses = {3, kT, 2};

class TwoWays : public SeededTest<37> {
 protected:
  const TwoWay made{kD, kH, DType::f64};
  Tensor premise = randn({kB, kL, kD}, DType::f64), hypothesis = randn({kB, kT, kD}, DType::f64);

  std::vector<Tensor> run(const Tensor& a, const Tensor& b) const {
    const PairOutput seen = made(a, b, kPremises, kHypotheses, true);
    return {seen.context, seen.weights, seen.premise, seen.premise_weights, seen.pair};
  }
  // Reading and attention, each held to its definition in entailment_test.cpp, once this way round.
  EntailmentOutput one_way(const Tensor& a, const std::vector<Index>& in_a, const Tensor& b,
                           const std::vector<Index>& in_b) const {
    const ConditionalEncodingOutput states = made.read(a, b, in_a, in_b);
    return made.attend(states.premise, states.hypothesis, Mask::lengths(in_a, a.size(1)), in_b,
                       true);
  }
};

TEST_F(TwoWays, AreTheSameAttentionThereAndBack) {
  const PairOutput seen = made(premise, hypothesis, kPremises, kHypotheses, true);
  const EntailmentOutput there = one_way(premise, kPremises, hypothesis, kHypotheses);
  const EntailmentOutput back = one_way(hypothesis, kHypotheses, premise, kPremises);
  EXPECT_EQ(seen.weights.shape(), (Shape{kB, kT, kL}));
  EXPECT_EQ(seen.premise_weights.shape(), (Shape{kB, kL, kT}));
  EXPECT_EQ(numbers(seen.weights), numbers(there.weights));
  EXPECT_EQ(numbers(seen.premise_weights), numbers(back.weights));
  EXPECT_EQ(numbers(seen.premise), numbers(back.context));
  EXPECT_EQ(numbers(seen.pair), numbers(concat({there.pair, back.pair}, -1)));
  EXPECT_THAT(numbers(narrow(made(hypothesis, premise, kHypotheses, kPremises).pair, 1, 0, kH)),
              near(back.pair));
}

TEST_F(TwoWays, HaveGradientsOfBothOrders) {
  const auto leaves = leaves_of(made, {{"premise", premise}, {"hypothesis", hypothesis}});
  plain::expect_gradients(
      leaves, [&] { return run(premise, hypothesis); }, 0);
  plain::expect_gradients(
      leaves, [&] { return std::vector{made(premise, hypothesis, kPremises, kHypotheses).pair}; },
      3);
}

TEST_F(TwoWays, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor a = plain::spoiled(premise, kPremises, value),
           b = plain::spoiled(hypothesis, kHypotheses, value);
    return plain::bits_of(leaves_of(made, {{"premise", a}, {"hypothesis", b}}),
                          [&] { return run(a, b); });
  });
}

TEST_F(TwoWays, RefuseWhatDoesNotFit) {
  EXPECT_ERROR_WITH(ValueError, "conditional_encoding: width 0 must be", TwoWay none(2, 0));
  EXPECT_ERROR_WITH(ShapeError, "premise must be [.., n, 3], not f64[3, 5, 2]",
                    made(narrow(premise, 2, 0, 2), hypothesis));
  EXPECT_ERROR_WITH(ShapeError, "two_way: ", made(premise, narrow(hypothesis, 0, 0, 2)));
  EXPECT_ERROR_WITH(ShapeError, "length 9 of row 0 is not in [0, 5]",
                    made(premise, hypothesis, {9, 1, 1}));
  EXPECT_ERROR_WITH(DTypeError, "hypothesis must be f64",
                    made(premise, to(hypothesis, DType::f32)));
}

}  // namespace
}  // namespace heed::attention
