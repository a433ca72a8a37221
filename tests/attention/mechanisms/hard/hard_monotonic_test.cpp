#include "../../../../attention/mechanisms/hard/hard_monotonic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../attention/attend.h"
#include "../../../../attention/normalisers/monotonic.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/stochastic/enumeration.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"
#include "../../borrowed.h"
#include "../../numbers.h"
#include "../../query_keys_values.h"

namespace heed::attention {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr Index kB = 2, kT = 3, kK = 4, kE = 5, kV = 3;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> places(const Tensor& x) { return x.array().to_vector<std::int64_t>(); }

struct Inputs : QueryKeysValues {
  Inputs() : QueryKeysValues(17, {kB, kT, kE}, {kB, kK, kE}, {kB, kK, kV}) {}
};

// What stands in row 1's last key.
Tensor dirty(const Tensor& x, double there) {
  Array out = x.array().clone();
  out.mutable_data<double>()[(2 * kK - 1) * out.size(2) + 1] = there;
  return Tensor(out);
}

// Over all 5^3 ways to stop, with gradients.
TEST(HardMonotonic, ItsMeanIsTheMonotonicNormaliser) {
  const Inputs in;
  const Monotonic monotonic;
  const HardMonotonic hard;
  const Tensor weight = randn({kT, kV}, DType::f64);
  for (const Mask& mask : {Mask(), Mask::lengths({kK, 2}, kK)}) {
    Tensor query = in.query.detach(), keys = in.keys.detach(), values = in.values.detach();
    const std::vector<Tensor> leaves = {query.set_requires_grad(), keys.set_requires_grad(),
                                        values.set_requires_grad()};
    const Tensor have = enumerate([&](Choices& choices) {
      HardMonotonicMemory memory = hard.begin(keys, values, {.mask = mask, .choices = &choices});
      Tensor cost = zeros({kB}, DType::f64);
      for (Index t = 0; t < kT; ++t) {
        const Tensor context = memory.step(select(query, 1, t)).context;
        cost = cost + sum(context * select(weight, 0, t), {-1});
      }
      return cost;
    });
    const Tensor want =
        sum(attend(query, keys, values, {.normaliser = &monotonic, .mask = mask}).context * weight,
            {1, 2});
    EXPECT_THAT(numbers(have), near(want));
    const auto have_grads = grad({sum(have)}, leaves), want_grads = grad({sum(want)}, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      EXPECT_THAT(numbers(have_grads[i]), near(want_grads[i]));
    }
  }
}

TEST(HardMonotonic, DrawsGoOnFromWhereTheLastOneStopped) {
  manual_seed(19);
  constexpr Index kMany = 200;
  const Tensor keys = randn({kMany, kK, kE}, DType::f64),
               values = randn({kMany, kK, kV}, DType::f64);
  const HardMonotonic hard;
  SampledChoices choices;
  HardMonotonicMemory memory = hard.begin(keys, values, {.choices = &choices});
  std::vector<Index> last(kMany, 0);
  Index past_the_end = 0;
  for (Index t = 0; t < 4; ++t) {
    const Tensor query = randn({kMany, kE}, DType::f64);
    const HardMonotonicOutput step = memory.step(query);
    const auto e = numbers(squeeze(matmul(keys, unsqueeze(query, -1)), -1) / std::sqrt(5.0));
    const auto log_p = numbers(choices.samples().log_prob(t));
    const auto now = places(step.place);
    const auto context = numbers(step.context), v = numbers(values);
    for (Index b = 0; b < kMany; ++b) {
      const auto row = static_cast<std::size_t>(b);
      ASSERT_GE(now[row], last[row]);
      double expected = 0;
      for (Index j = last[row]; j <= std::min(now[row], kK - 1); ++j) {
        const double p = 1 / (1 + std::exp(-e[static_cast<std::size_t>(b * kK + j)]));
        expected += std::log(j == now[row] ? p : 1 - p);
      }
      EXPECT_NEAR(log_p[row], expected, 1e-12);
      for (Index i = 0; i < kV; ++i) {
        const double value =
            now[row] == kK ? 0 : v[static_cast<std::size_t>((b * kK + now[row]) * kV + i)];
        EXPECT_EQ(context[static_cast<std::size_t>(b * kV + i)], value);
      }
      past_the_end += now[row] == kK ? 1 : 0;
    }
    last = now;
  }
  EXPECT_GT(past_the_end, 100);
}

TEST(HardMonotonic, EvaluationStopsAtTheFirstLikelyPlace) {
  // Scores are the keys themselves.
  Dot dot;
  HardMonotonic hard({.score = borrowed(dot)});
  hard.eval();
  const Tensor keys = tensor({-1, 2, -3, 0.5, 4}, {1, 5, 1});
  const Tensor values = tensor({10, 20, 30, 40, 50}, {1, 5, 1});
  HardMonotonicMemory memory = hard.begin(keys, values);
  std::vector<Index> stops;
  std::vector<double> contexts;
  for (const double q : {1.0, 1.0, -1.0, 1.0, -1.0, 1.0}) {
    const HardMonotonicOutput step = memory.step(tensor({q}, {1, 1}));
    stops.push_back(places(step.place)[0]);
    contexts.push_back(step.context.item());
  }
  EXPECT_THAT(stops, ElementsAre(1, 1, 2, 3, 5, 5));
  EXPECT_THAT(contexts, ElementsAre(20, 20, 30, 40, 0, 0));
  HardMonotonic sampling({.score = borrowed(dot), .sample = true});
  sampling.eval();
  Generator generator(3);
  HardMonotonicMemory sampled = sampling.begin(keys * 1000.0, values, {.generator = &generator});
  EXPECT_EQ(places(sampled.step(tensor({1}, {1, 1})).place)[0], 1);
}

TEST(HardMonotonic, WhatIsMaskedIsWalkedPastAndChangesNoBit) {
  const Inputs in;
  const HardMonotonic hard;
  const auto run = [&](double there) {
    Generator generator(5);
    SampledChoices choices(50, {.generator = &generator});
    Tensor query = in.query.detach(), keys = dirty(in.keys, there),
           values = dirty(in.values, there);
    const std::vector<Tensor> leaves = {query.set_requires_grad(), keys.set_requires_grad(),
                                        values.set_requires_grad()};
    HardMonotonicMemory memory =
        hard.begin(keys, values, {.mask = Mask::lengths({kK, kK - 1}, kK), .choices = &choices});
    const HardMonotonicOutput step = memory.step(select(query, 1, 0));
    for (const Index place : places(select(step.place, 1, 1))) EXPECT_NE(place, kK - 1);
    std::vector<std::vector<double>> all = {numbers(step.context),
                                            numbers(choices.samples().log_prob(0))};
    const Tensor loss = sum(square(step.context)) + sum(choices.samples().log_prob(0));
    for (const Tensor& g : grad({loss}, leaves)) all.push_back(numbers(g));
    return all;
  };
  EXPECT_EQ(run(0.25), run(kNaN));
}

TEST(HardMonotonic, ARowThatMayAttendToNothing) {
  const Inputs in;
  const HardMonotonic hard;
  SampledChoices choices;
  Tensor query = in.query.detach(), keys = dirty(in.keys, kNaN);
  const std::vector<Tensor> leaves = {query.set_requires_grad(), keys.set_requires_grad()};
  HardMonotonicMemory memory =
      hard.begin(keys, in.values, {.mask = Mask::lengths({kK, 0}, kK), .choices = &choices});
  const HardMonotonicOutput step = memory.step(select(query, 1, 0));
  EXPECT_EQ(places(step.place)[1], 0);  // as it was
  EXPECT_THAT(numbers(select(step.context, 0, 1)), Each(0));
  EXPECT_EQ(numbers(choices.samples().log_prob(0))[1], 0);
  for (const Tensor& g : grad({sum(choices.samples().log_prob(0))}, leaves)) {
    EXPECT_THAT(numbers(select(g, 0, 1)), Each(0));
    EXPECT_NE(sum(square(select(g, 0, 0))).item(), 0);
  }
}

TEST(HardMonotonic, GradientsOfValuesAndLogProbability) {
  const Inputs in;
  const HardMonotonic hard;
  const auto run = [&](const std::vector<Tensor>& x) {
    Generator generator(3);
    SampledChoices choices(3, {.generator = &generator});
    HardMonotonicMemory memory = hard.begin(x[1], x[2], {.choices = &choices});
    const Tensor first = memory.step(select(x[0], 1, 0)).context;
    const Tensor second = memory.step(select(x[0], 1, 1)).context;
    return std::vector<Tensor>{first, second, choices.samples().log_prob(0),
                               choices.samples().log_prob(1)};
  };
  const auto first = gradcheck(run, {in.query, in.keys, in.values}, {.step = 1e-4});
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, {in.query, in.keys, in.values}, {.step = 1e-4});
  EXPECT_TRUE(second) << second.text();
}

TEST(HardMonotonic, SmallestSizes) {
  const HardMonotonic hard;
  SampledChoices choices;
  const HardCall call{.choices = &choices};
  EXPECT_EQ(
      hard.begin(zeros({0, 5, 3}), zeros({0, 5, 2}), call).step(zeros({0, 3})).context.shape(),
      (Shape{0, 2}));
  const auto no_keys = hard.begin(zeros({2, 0, 3}), zeros({2, 0, 4}), call).step(zeros({2, 3}));
  EXPECT_EQ(no_keys.context.shape(), (Shape{2, 4}));
  EXPECT_THAT(places(no_keys.place), ElementsAre(0, 0));
  EXPECT_EQ(choices.samples().size(), 0);
  const auto one = hard.begin(zeros({1, 1, 3}), ones({1, 1, 2}), call).step(zeros({1, 3}));
  EXPECT_NEAR(choices.samples().log_prob(0).item(), std::log(0.5), 1e-6);
  EXPECT_EQ(sum(one.context).item(), places(one.place)[0] == 0 ? 2 : 0);
}

TEST(HardMonotonic, SaysWhatIsWrong) {
  const Inputs in;
  LocationAware aware({.query_width = kE, .key_width = kE, .hidden = 6, .filters = 2, .kernel = 3});
  EXPECT_ERROR(
      ValueError,
      "HardMonotonic: takes no score for each feature, and none that looks back at weights",
      HardMonotonic({.score = borrowed(aware)}));
  HardMonotonic hard;
  EXPECT_ERROR(GradError,
               "HardMonotonic: in training somebody must choose and record it: hand in choices, "
               "such as SampledChoices, or call eval()",
               hard.begin(in.keys, in.values));
  ExpectedChoices soft;
  EXPECT_ERROR(ValueError,
               "HardMonotonic: choices must be places, not weights; their mean is the Monotonic "
               "normaliser's",
               hard.begin(in.keys, in.values, {.choices = &soft}).step(select(in.query, 1, 0)));
  hard.eval();
  EXPECT_ERROR(DTypeError, "HardMonotonic: a step's query must be [.., dq] and f64, not f32[2, 5]",
               hard.begin(in.keys, in.values).step(zeros({kB, kE})));
  EXPECT_ERROR(ShapeError,
               "HardMonotonic: keys must be [.., K, dk] and values [.., K, dv], not f64[2, 4, 5] "
               "and f64[2, 2, 3]",
               hard.begin(in.keys, narrow(in.values, 1, 0, 2)));
  EXPECT_ERROR(ValueError, "HardMonotonic: a score is NaN",
               hard.begin(dirty(in.keys, kNaN), in.values).step(select(in.query, 1, 0)));
}

}  // namespace
}  // namespace heed::attention
