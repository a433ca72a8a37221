#include "../../../../attention/mechanisms/pairs/lstmn_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
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
const std::vector<Index> kPremises = {kL, 2, 0}, kHypotheses = {3, kT, 2};

class LstmnPairs : public SeededTest<41> {
 protected:
  const LSTMNPair made{kD, kH, DType::f64};
  Tensor premise = randn({kB, kL, kD}, DType::f64), hypothesis = randn({kB, kT, kD}, DType::f64);

  std::vector<Tensor> run(const Tensor& a, const Tensor& b) const {
    const PairOutput seen = made(a, b, kPremises, kHypotheses, true);
    return {seen.context, seen.premise, seen.pair, seen.weights};
  }
};

// Both networks are held to their definitions in tests of their own.
TEST_F(LstmnPairs, JoinTwoNetworksByDeepFusion) {
  const PairOutput seen = made(premise, hypothesis, kPremises, kHypotheses, true);
  const LSTMNOutput source = made.read(premise, kPremises);
  const LSTMNDecoderOutput found =
      made.attend(hypothesis, source.output, source.memory, Mask::lengths(kPremises, kL),
                  {.need_weights = true}, kHypotheses);
  EXPECT_EQ(numbers(seen.context), numbers(found.output));
  EXPECT_EQ(numbers(seen.premise), numbers(source.output));
  EXPECT_EQ(numbers(seen.weights), numbers(found.weights.back()));
  EXPECT_FALSE(seen.premise_weights.defined());
  const auto row_mean = [](const Tensor& x, Index row, Index count) {
    return numbers(mean(narrow(select(x, 0, row), 0, 0, count), {0}));
  };
  EXPECT_THAT(numbers(narrow(select(seen.pair, 0, 1), 0, 0, kH)),
              near(row_mean(source.output, 1, 2)));
  EXPECT_THAT(numbers(narrow(select(seen.pair, 0, 0), 0, kH, kH)),
              near(row_mean(found.output, 0, 3)));
  EXPECT_EQ(numbers(narrow(select(seen.pair, 0, 2), 0, 0, kH)), Numbers(kH, 0.0));
}

TEST_F(LstmnPairs, HaveGradientsOfBothOrders) {
  const auto leaves = leaves_of(made, {{"premise", premise}, {"hypothesis", hypothesis}});
  plain::expect_gradients(
      leaves, [&] { return run(premise, hypothesis); }, 0);
  plain::expect_gradients(
      leaves, [&] { return std::vector{made(premise, hypothesis, kPremises, kHypotheses).pair}; },
      2);
}

TEST_F(LstmnPairs, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor a = plain::spoiled(premise, kPremises, value),
           b = plain::spoiled(hypothesis, kHypotheses, value);
    return plain::bits_of(leaves_of(made, {{"premise", a}, {"hypothesis", b}}),
                          [&] { return run(a, b); });
  });
}

TEST_F(LstmnPairs, RefuseWhatDoesNotFit) {
  EXPECT_THROW(LSTMNPair none(2, 0), ValueError);
  EXPECT_ERROR_WITH(ShapeError, "lstmn_pair: hypothesis must have 3 rows, not 2",
                    made(premise, narrow(hypothesis, 0, 0, 2)));
  EXPECT_ERROR_WITH(ShapeError, "lstmn_pair: premise", made(select(premise, 0, 0), hypothesis));
  EXPECT_ERROR_WITH(ShapeError, "lstmn_pair: ", made(narrow(premise, 2, 0, 2), hypothesis));
  EXPECT_ERROR_WITH(DTypeError, "lstmn_pair: ", made(premise, to(hypothesis, DType::f32)));
}

}  // namespace
}  // namespace heed::attention
