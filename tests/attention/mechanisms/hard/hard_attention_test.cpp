#include "../../../../attention/mechanisms/hard/hard_attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../attention/attend.h"
#include "../../../../attention/scores/additive.h"
#include "../../../../attention/scores/contextual.h"
#include "../../../../attention/scores/feature_wise.h"
#include "../../../../attention/scores/location.h"
#include "../../../../autograd/backward.h"
#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/stochastic/score_estimators.h"
#include "../../../../autograd/stochastic/stochastic_gradcheck.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../../borrowed.h"
#include "../../numbers.h"
#include "../../query_keys_values.h"

namespace heed::attention {
namespace {

using testing::Each;

constexpr Index kB = 2, kQ = 3, kK = 5, kE = 7, kV = 4;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> places(const Tensor& x) { return x.array().to_vector<std::int64_t>(); }

struct Inputs : QueryKeysValues {
  Inputs() : QueryKeysValues(7, {kB, kQ, kE}, {kB, kK, kE}, {kB, kK, kV}) {}
};

// log softmax of scaled dot products over the allowed keys, element by element.
std::vector<double> log_alpha(const Inputs& in, const std::vector<Index>& lengths) {
  const auto q = numbers(in.query), k = numbers(in.keys);
  std::vector<double> out;
  for (Index row = 0; row < kB * kQ; ++row) {
    const Index b = row / kQ, count = lengths[static_cast<std::size_t>(b)];
    std::vector<double> e;
    double total = 0;
    for (Index j = 0; j < kK; ++j) {
      double dot = 0;
      for (Index i = 0; i < kE; ++i) dot += at(q, row * kE + i) * at(k, (b * kK + j) * kE + i);
      e.push_back(dot / std::sqrt(static_cast<double>(kE)));
      if (j < count) total += std::exp(e.back());
    }
    for (Index j = 0; j < kK; ++j) {
      out.push_back(j < count ? at(e, j) - std::log(total) : -INFINITY);
    }
  }
  return out;
}

// x with `there` in feature 1 of row 1's last two keys.
Tensor dirty(const Tensor& x, double there) {
  Array out = x.array().clone();
  const Index width = out.size(2);
  for (const Index key : {kK - 2, kK - 1}) {
    out.mutable_data<double>()[(kK + key) * width + 1] = there;
  }
  return Tensor(out);
}

TEST(HardAttention, GathersWhatWasDrawnAndRecordsItsLogProbability) {
  const Inputs in;
  const std::vector<Index> lengths = {kK, 3};
  const auto log_p = log_alpha(in, lengths), v = numbers(in.values);
  const HardAttention attend;
  for (const Index samples : {0, 1, 6}) {
    SampledChoices choices(samples);
    const HardAttentionOutput out = attend(
        in.query, in.keys, in.values, {.mask = Mask::lengths(lengths, kK), .choices = &choices});
    const Index copies = std::max<Index>(samples, 1);
    EXPECT_EQ(out.context.shape(),
              samples == 0 ? (Shape{kB, kQ, kV}) : (Shape{samples, kB, kQ, kV}));
    EXPECT_EQ(out.weights.shape(), (Shape{kB, kQ, kK}));
    const auto index = places(out.choice.index());
    const auto context = numbers(out.context), recorded = numbers(choices.samples().log_prob(0));
    ASSERT_EQ(index.size(), static_cast<std::size_t>(copies * kB * kQ));
    ASSERT_EQ(recorded.size(), index.size());
    for (Index row = 0; row < copies * kB * kQ; ++row) {
      const Index b = row / kQ % kB, place = index[static_cast<std::size_t>(row)];
      ASSERT_LT(place, lengths[static_cast<std::size_t>(b)]);
      EXPECT_NEAR(at(recorded, row), at(log_p, row % (kB * kQ) * kK + place), 1e-12);
      for (Index i = 0; i < kV; ++i) {
        EXPECT_EQ(at(context, row * kV + i), at(v, (b * kK + place) * kV + i));
      }
    }
  }
}

TEST(HardAttention, KeysAndValuesBroadcast) {
  const Inputs in;
  HardAttention attend;
  attend.eval();
  const Tensor all = attend(in.query, in.keys, in.values).context;
  const Tensor heads = attend(unsqueeze(in.query, 1), unsqueeze(in.keys, 1),
                              broadcast_to(unsqueeze(in.values, 1), {kB, 2, kK, kV}))
                           .context;
  EXPECT_EQ(heads.shape(), (Shape{kB, 2, kQ, kV}));
  EXPECT_EQ(numbers(select(heads, 1, 1)), numbers(all));
  const Tensor row =
      attend(select(in.query, 0, 1), select(in.keys, 0, 1), select(in.values, 0, 1)).context;
  EXPECT_EQ(numbers(row), numbers(select(all, 0, 1)));
}

// Exactly, over all places, with both gradients that there are.
TEST(HardAttention, ItsMeanIsSoftAttention) {
  const Inputs in;
  Additive score(kE, kE, 6, true, DType::f64);
  const Tensor weight = randn({kB, 1, kV}, DType::f64);
  const HardAttention hard({.score = borrowed(score)});
  const Mask mask = Mask::lengths({kK, 3}, kK);
  Tensor query = narrow(in.query, 1, 0, 1).detach(), keys = in.keys.detach(),
         values = in.values.detach();
  const std::vector<Tensor> leaves = {query.set_requires_grad(), keys.set_requires_grad(),
                                      values.set_requires_grad(), score.score_vector};
  const Tensor expected = enumerate(
      [&](Choices& choices) {
        const Tensor context =
            hard(query, keys, values, {.mask = mask, .choices = &choices}).context;
        return sum(square(context) * weight, {1, 2});
      },
      {.batch_axes = 1});
  const Tensor alpha =
      heed::attention::attend(score, query, keys, values, {.mask = mask, .need_weights = true})
          .weights;
  const Tensor soft = sum(sum(transpose(alpha, 1, 2) * square(values) * weight, {1}), {1});
  EXPECT_THAT(numbers(expected), near(soft));
  const auto have = grad({sum(expected)}, leaves), want = grad({sum(soft)}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_THAT(numbers(have[i]), near(want[i])) << i;
  }
}

TEST(HardAttention, GradientsOfValuesAndLogProbability) {
  const Inputs in;
  for (const double mean_probability : {0.0, 0.5}) {
    const HardAttention attend({.mean_probability = mean_probability});
    const auto run = [&](const std::vector<Tensor>& x) {
      Generator generator(3);
      SampledChoices choices(2, {.generator = &generator});
      const auto out = attend(
          x[0], x[1], x[2],
          {.mask = Mask::lengths({kK, 3}, kK), .choices = &choices, .generator = &generator});
      return std::vector<Tensor>{out.context, choices.samples().log_prob(0), out.weights};
    };
    const auto first = gradcheck(run, {in.query, in.keys, in.values}, {.step = 1e-4});
    EXPECT_TRUE(first) << first.text();
    const auto second = gradgradcheck(run, {in.query, in.keys, in.values}, {.step = 1e-4});
    EXPECT_TRUE(second) << second.text();
  }
}

// Two steps, of which the second asks with what the first one saw.
TEST(HardAttention, ADecodersSurrogateIsUnbiased) {
  manual_seed(11);
  const Tensor keys = randn({1, 3, 2}, DType::f64), values = randn({1, 3, 2}, DType::f64);
  const HardAttention attend;
  const RowCost cost = [&](Choices& choices, const Tensor& theta) {
    const Tensor k = expand(keys, {theta.size(0), 3, 2}), v = expand(values, {theta.size(0), 3, 2});
    HardMemory memory = attend.begin(k, v, {.choices = &choices});
    const Tensor first = memory.step(theta).context;
    return sum(square(memory.step(theta + first).context + theta), {-1});
  };
  Reinforce reinforce;
  const auto report = stochastic_gradcheck(reinforce, cost, tensor({0.4, -0.7}, {2}, DType::f64),
                                           {.resolution = 0.1, .max_samples = 1 << 18});
  EXPECT_TRUE(report) << report.text();
  EXPECT_LT(report.detectable, 0.2) << report.text();
}

TEST(HardAttention, WhatIsMaskedIsNeverDrawnAndChangesNoBit) {
  const Inputs in;
  for (const double mean_probability : {0.0, 0.5, 1.0}) {
    const HardAttention attend({.mean_probability = mean_probability});
    const auto run = [&](double there) {
      Generator generator(5);
      SampledChoices choices(100, {.generator = &generator});
      Tensor query = in.query.detach(), keys = dirty(in.keys, there),
             values = dirty(in.values, there);
      const std::vector<Tensor> leaves = {query.set_requires_grad(), keys.set_requires_grad(),
                                          values.set_requires_grad()};
      const auto out = attend(
          query, keys, values,
          {.mask = Mask::lengths({kK, 3}, kK), .choices = &choices, .generator = &generator});
      for (const Index place : places(select(out.choice.index(), 1, 1))) EXPECT_LT(place, 3);
      const Tensor loss = sum(square(out.context)) + sum(choices.samples().log_prob(0));
      std::vector<std::vector<double>> all = {numbers(out.context), numbers(out.weights),
                                              numbers(choices.samples().log_prob(0))};
      for (const Tensor& g : grad({loss}, leaves)) all.push_back(numbers(g));
      return all;
    };
    const auto clean = run(0.25);
    EXPECT_EQ(clean, run(kNaN));
    EXPECT_EQ(clean, run(INFINITY));
  }
}

TEST(HardAttention, ARowThatMayAttendToNothing) {
  const Inputs in;
  for (const double mean_probability : {0.0, 1.0}) {
    const HardAttention attend({.mean_probability = mean_probability});
    SampledChoices choices(0, {.entropy = 1});
    Tensor query = in.query.detach(), keys = in.keys.detach(), values = dirty(in.values, kNaN);
    const std::vector<Tensor> leaves = {query.set_requires_grad(), keys.set_requires_grad(),
                                        values.set_requires_grad()};
    const auto out =
        attend(query, keys, values, {.mask = Mask::lengths({kK, 0}, kK), .choices = &choices});
    EXPECT_THAT(numbers(select(out.context, 0, 1)), Each(0));
    EXPECT_THAT(numbers(select(out.weights, 0, 1)), Each(0));
    EXPECT_THAT(numbers(select(choices.samples().log_prob(0), 0, 1)), Each(0));
    choices.samples().add_cost(sum(square(out.context), {1, 2}));
    for (const Tensor& g : grad({choices.samples().surrogate()}, leaves)) {
      EXPECT_THAT(numbers(select(g, 0, 1)), Each(0));
      EXPECT_NE(sum(square(select(g, 0, 0))).item(), 0) << mean_probability;
      if (mean_probability == 1) break;
    }
  }
}

TEST(HardAttention, TheMeanIsTakenForAWholeSequence) {
  manual_seed(13);
  constexpr Index kMany = 300;
  const Tensor keys = randn({kMany, kK, kE}, DType::f64),
               values = randn({kMany, kK, kV}, DType::f64);
  const HardAttention attend({.mean_probability = 0.5});
  SampledChoices choices;
  HardMemory memory = attend.begin(keys, values, {.choices = &choices});
  std::vector<bool> means;
  for (Index t = 0; t < 3; ++t) {
    const Tensor query = randn({kMany, kE}, DType::f64);
    const HardAttentionOutput out = memory.step(query);
    EXPECT_EQ(out.context.shape(), (Shape{kMany, kV}));
    const Tensor soft =
        squeeze(heed::attention::attend(unsqueeze(query, 1), keys, values).context, 1);
    const auto far = numbers(amax(abs(out.context - soft), {1}));
    const auto log_p = numbers(choices.samples().log_prob(t));
    for (Index b = 0; b < kMany; ++b) {
      const bool mean = at(far, b) < 1e-12;
      if (t == 0) means.push_back(mean);
      EXPECT_EQ(mean, means[static_cast<std::size_t>(b)]);
      EXPECT_EQ(mean, at(log_p, b) == 0);
    }
  }
  EXPECT_NEAR(static_cast<double>(std::count(means.begin(), means.end(), true)), 150, 50);
}

TEST(HardAttention, EvaluationTakesWhatTheOptionsSay) {
  const Inputs in;
  const auto soft = heed::attention::attend(in.query, in.keys, in.values, {.need_weights = true});
  HardAttention argmaxed,
      expected({.evaluation = HardEvaluation::expectation, .mean_probability = 1}),
      sampled({.evaluation = HardEvaluation::sample, .mean_probability = 1});
  for (HardAttention* each : {&argmaxed, &expected, &sampled}) each->eval();
  const auto best = argmaxed(in.query, in.keys, in.values);
  EXPECT_EQ(places(best.choice.index()), places(argmax(soft.weights, -1)));
  EXPECT_THAT(numbers(expected(in.query, in.keys, in.values).context), near(soft.context));
  Generator a(1), b(1);
  const auto one = sampled(in.query, in.keys, in.values, {.generator = &a});
  EXPECT_EQ(numbers(one.context),
            numbers(sampled(in.query, in.keys, in.values, {.generator = &b}).context));
  EXPECT_TRUE(one.choice.is_hard());
}

const LocationAwareOptions kLookingBack = {.query_width = kE,
                                           .key_width = kE,
                                           .hidden = 6,
                                           .filters = 2,
                                           .kernel = 3,
                                           .dtype = DType::f64};

TEST(HardAttention, StepsAreAllAtOnceAndScoresMayLookBack) {
  const Inputs in;
  LocationAware aware(kLookingBack);
  HardAttention attend({.score = borrowed(aware)});
  attend.eval();
  HardMemory memory = attend.begin(in.keys, in.values);
  const Memory soft(aware, in.keys, in.values);
  Past past;
  for (Index t = 0; t < kQ; ++t) {
    const Tensor query = select(in.query, 1, t);
    EXPECT_THAT(numbers(memory.step(query).weights),
                near(soft.step(query, past, {.need_weights = true}).weights));
  }
}

TEST(HardAttention, AllAtOnceIsStepsWhereScoresLookBack) {
  const Inputs in;
  LocationAware aware(kLookingBack);
  const auto kept = borrowed(aware);
  HardAttention attend({.score = kept});
  attend.eval();
  for (const Mask& mask : {Mask(), Mask::lengths({kK, 3}, kK)}) {
    const HardAttentionOutput all = attend(in.query, in.keys, in.values, {.mask = mask});
    HardMemory memory = attend.begin(in.keys, in.values, {.mask = mask});
    for (Index t = 0; t < kQ; ++t) {
      const HardAttentionOutput step = memory.step(select(in.query, 1, t));
      EXPECT_THAT(numbers(select(all.weights, 1, t)), near(step.weights));
      EXPECT_THAT(numbers(select(all.context, 1, t)), near(step.context));
    }
  }
}

TEST(HardAttention, ScoresSeeTheMask) {
  const Inputs in;
  ContextualPositions contextual(kE, 3, std::nullopt, DType::f64);
  nn::normal_(contextual.positions, 0, 1);
  HardAttention attend({.score = borrowed(contextual)});
  attend.eval();
  const Mask mask = Mask::lengths({kK, 3}, kK);
  const Attended soft = heed::attention::attend(contextual, in.query, in.keys, in.values,
                                                {.mask = mask, .need_weights = true});
  const auto weights = [&](double there) {
    return attend(in.query, dirty(in.keys, there), in.values, {.mask = mask}).weights;
  };
  EXPECT_THAT(numbers(weights(0)), near(soft.weights));
  EXPECT_EQ(numbers(weights(7)), numbers(weights(0)));
  EXPECT_EQ(numbers(weights(kNaN)), numbers(weights(0)));
}

TEST(HardAttention, WhatAScoreDoesNotReachIsNotChosen) {
  const Inputs in;
  LocationBased location(kE, 2, DType::f64);
  HardAttention attend({.score = borrowed(location)});
  attend.eval();
  const HardAttentionOutput out = attend(in.query, in.keys, in.values);
  EXPECT_EQ(sum(narrow(out.weights, 2, 2, kK - 2)).item(), 0);
  for (const Index place : places(out.choice.index())) EXPECT_LT(place, 2);
}

TEST(HardAttention, SmallestSizes) {
  const HardAttention attend;
  SampledChoices choices;
  const auto none =
      attend(zeros({0, 2, 3}), zeros({0, 5, 3}), zeros({0, 5, 4}), {.choices = &choices});
  EXPECT_EQ(none.context.shape(), (Shape{0, 2, 4}));
  const auto no_keys =
      attend(zeros({2, 3, 3}), zeros({2, 0, 3}), zeros({2, 0, 4}), {.choices = &choices});
  EXPECT_EQ(no_keys.context.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(sum(abs(no_keys.context)).item(), 0);
  EXPECT_EQ(choices.samples().size(), 0);
  const Tensor value = randn({1, 1, 4});
  const auto one = attend(randn({1, 1, 3}), randn({1, 1, 3}), value, {.choices = &choices});
  EXPECT_EQ(one.context.array().to_vector<float>(), value.array().to_vector<float>());
  EXPECT_EQ(choices.samples().log_prob(0).item(), 0);
}

TEST(HardAttention, SaysWhatIsWrong) {
  const Inputs in;
  FeatureWise features(kE, kE, 6, kV, DType::f64);
  EXPECT_ERROR(ValueError, "HardAttention: a score for each feature has no single place to choose",
               HardAttention({.score = borrowed(features)}));
  EXPECT_ERROR(ValueError, "HardAttention: mean_probability 1.5 is not in [0, 1]",
               HardAttention({.mean_probability = 1.5}));
  const HardAttention attend;
  EXPECT_ERROR(GradError,
               "HardAttention: in training somebody must choose and record it: hand in choices, "
               "such as SampledChoices, or call eval()",
               attend(in.query, in.keys, in.values));
  SampledChoices choices;
  const HardCall call{.choices = &choices};
  EXPECT_ERROR(ShapeError,
               "HardAttention: keys must be [.., K, dk] and values [.., K, dv], not f64[2, 5, 7] "
               "and f64[2, 3, 4]",
               attend(in.query, in.keys, narrow(in.values, 1, 0, 3), call));
  EXPECT_ERROR(DTypeError,
               "HardAttention: keys and values differ in dtype: f64[2, 5, 7] and f32[2, 5, 4]",
               attend(in.query, in.keys, to(in.values, DType::f32), call));
  EXPECT_ERROR(DTypeError,
               "HardAttention: query and keys differ in dtype: f32[2, 3, 7] and f64[2, 5, 7]",
               attend(to(in.query, DType::f32), in.keys, in.values, call));
  EXPECT_ERROR(ShapeError, "HardAttention: a step's query must be [.., dq], not f64[]",
               attend.begin(in.keys, in.values, call).step(zeros({}, DType::f64)));
  EXPECT_THROW(attend(in.query, dirty(in.keys, kNaN), in.values, call), ValueError);
  EXPECT_THROW(attend(in.query, dirty(in.keys, kNaN), in.values,
                      {.mask = Mask::lengths({kK, 4}, kK), .choices = &choices}),
               ValueError);
}

}  // namespace
}  // namespace heed::attention
