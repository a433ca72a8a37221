#include "../../../../attention/mechanisms/pairs/bimpm.h"

#include <gtest/gtest.h>

#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../support/seeded_test.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 3, kN = 5, kM = 4, kD = 3, kH = 2, kL = 3;
const std::vector<Index> kPremises = {kN, 2, 1}, kHypotheses = {3, kM, 2};

class Bimpm : public SeededTest<37> {
 protected:
  const BiMPM made{{.width = kD, .hidden = kH, .perspectives = kL, .dtype = DType::f64}};
  Tensor premise = randn({kB, kN, kD}, DType::f64), hypothesis = randn({kB, kM, kD}, DType::f64);

  std::vector<Tensor> run(const Tensor& a, const Tensor& b) const {
    const PairOutput seen = made(a, b, kPremises, kHypotheses, true);
    return {seen.context, seen.premise, seen.pair, seen.weights, seen.premise_weights};
  }
};

// Example by example, as long as each is: what a BiLSTM and the matching are, their tests say.
TEST_F(Bimpm, IsTheDefinition) {
  const auto leaves = leaves_of(made, {{"premise", premise}, {"hypothesis", hypothesis}});
  const auto ours = [&] {
    return std::vector<Tensor>{made(premise, hypothesis, kPremises, kHypotheses).pair};
  };
  const auto by_hand = [&] {
    std::vector<Tensor> rows;
    for (Index b = 0; b < kB; ++b) {
      const auto row = static_cast<std::size_t>(b);
      const nn::LSTM &encoder = made.encoder, &aggregation = made.aggregation;
      const MultiPerspectiveOutput m = made.matching(
          encoder(narrow(narrow(premise, 0, b, 1), 1, 0, kPremises[row])).output,
          encoder(narrow(narrow(hypothesis, 0, b, 1), 1, 0, kHypotheses[row])).output);
      std::vector<Tensor> ends;
      for (const Tensor& each : {m.premise, m.hypothesis}) {
        const Tensor v = aggregation(each).output;  // [1, n, 2 H]
        ends.push_back(narrow(select(v, 1, v.size(1) - 1), -1, 0, kH));
        ends.push_back(narrow(select(v, 1, 0), -1, kH, kH));
      }
      rows.push_back(concat(ends, -1));
    }
    return std::vector<Tensor>{concat(rows, 0)};
  };
  const auto have = plain::bits_of(leaves, ours), wanted = plain::bits_of(leaves, by_hand);
  ASSERT_EQ(have.size(), wanted.size());
  for (std::size_t i = 0; i < have.size(); ++i) EXPECT_THAT(have[i], near(wanted[i], 1e-11));
  plain::expect_gradients(leaves, ours, 2);
}

TEST_F(Bimpm, WhatIsMaskedChangesNoBit) {
  plain::expect_hidden([&](double value) {
    Tensor a = plain::spoiled(premise, kPremises, value),
           b = plain::spoiled(hypothesis, kHypotheses, value);
    return plain::bits_of(leaves_of(made, {{"premise", a}, {"hypothesis", b}}),
                          [&] { return run(a, b); });
  });
}

// The same parameters read both sides.
TEST_F(Bimpm, TurnedRoundItGivesTheSameTurnedRound) {
  const Tensor there = made(premise, hypothesis).pair, back = made(hypothesis, premise).pair;
  EXPECT_THAT(numbers(narrow(back, 1, 0, 2 * kH)), near(narrow(there, 1, 2 * kH, 2 * kH)));
  EXPECT_THAT(numbers(narrow(back, 1, 2 * kH, 2 * kH)), near(narrow(there, 1, 0, 2 * kH)));
}

TEST_F(Bimpm, TakesTheStrategiesThatAreWanted) {
  const BiMPM one({.width = kD,
                   .hidden = kH,
                   .perspectives = kL,
                   .full = false,
                   .attentive = false,
                   .max_attentive = false,
                   .dtype = DType::f64});
  EXPECT_EQ(one.aggregation.options().input, 2 * kL);
  EXPECT_EQ(one(premise, hypothesis).pair.shape(), (Shape{kB, 4 * kH}));
}

TEST_F(Bimpm, DropsInTrainingOnly) {
  BiMPM some({.width = kD, .hidden = kH, .dropout = 0.5, .dtype = DType::f64});
  const auto drawn = [&] { return numbers(some(premise, hypothesis).pair); };
  EXPECT_NE(drawn(), drawn());
  some.eval();
  EXPECT_EQ(drawn(), drawn());
}

TEST_F(Bimpm, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ValueError, "bimpm: width 2 and hidden 0 must be positive",
               BiMPM none({.width = 2, .hidden = 0}));
  EXPECT_ERROR(ShapeError, "bimpm: premise must be [.., n, 3], not f64[3, 5, 2]",
               made(narrow(premise, 2, 0, 2), hypothesis));
  EXPECT_ERROR(ShapeError, "bimpm: mask: length 6 of row 1 is not in [0, 5]",
               made(premise, hypothesis, {1, 6, 1}));
  EXPECT_ERROR(DTypeError, "bimpm: premise must be f64, not f32[3, 5, 3]",
               made(to(premise, DType::f32), hypothesis));
}

}  // namespace
}  // namespace heed::attention
