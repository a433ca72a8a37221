#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../autograd/backward.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/arrange.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/glimpses/evaluation.h"
#include "../../support/numbers.h"
#include "../../support/throws.h"

namespace glimpses {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::Pointwise;

constexpr Index kB = 5, kRuns = 3;

ModelOptions small(const std::string& core = "rnn") {
  return {.count = 4,
          .glimpse = 5,
          .scales = 2,
          .hidden = 7,
          .width = 11,
          .core = core,
          .dtype = DType::f64};
}

TEST(GlimpseModel, RunsOfAnImageStandSideBySide) {
  for (const char* core : {"rnn", "lstm"}) {
    manual_seed(3);
    const GlimpseModel model(small(core));
    const Tensor images = rand({kB, 1, 13, 17}, DType::f64);
    const Episode episode = model(images, kRuns, Looking::mean);
    ASSERT_EQ(episode.logits.size(), 4u);
    ASSERT_EQ(episode.places.size(), 4u);
    EXPECT_EQ(episode.samples.size(), 0);
    EXPECT_EQ(episode.places[3].shape(), (Shape{kB, kRuns, 2}));
    const auto logits = numbers(episode.logits[3]);
    const auto row = [&](Index i) {
      return std::vector(logits.begin() + i * 10, logits.begin() + i * 10 + 10);
    };
    for (Index b = 0; b < kB; ++b) {
      EXPECT_EQ(row(b * kRuns), row(b * kRuns + 2));
      if (b > 0) {
        EXPECT_NE(row(b * kRuns), row(b * kRuns - 1));
      }
    }
    const Tensor p = probabilities_of(episode);
    EXPECT_EQ(p.shape(), (Shape{kB, 10}));
    EXPECT_THAT(numbers(sum(p, {1})), Each(DoubleNear(1, 1e-12)));
  }
}

TEST(GlimpseModel, DrawsPlacesFromTheGeneratorWithinTheImage) {
  manual_seed(4);
  ModelOptions options = small();
  options.sigma = 2;
  const GlimpseModel model(options);
  const Tensor images = rand({kB, 1, 13, 17}, DType::f64);
  Generator one(9), same(9), other(10);
  const Episode a = model(images, kRuns, Looking::sample, &one);
  const Episode b = model(images, kRuns, Looking::sample, &same);
  const Episode c = model(images, kRuns, Looking::sample, &other);
  EXPECT_EQ(a.samples.size(), 4);
  EXPECT_EQ(numbers(a.logits[3]), numbers(b.logits[3]));
  EXPECT_NE(numbers(a.logits[3]), numbers(c.logits[3]));
  for (const Tensor& place : a.places) {
    EXPECT_THAT(numbers(place), Each(testing::AllOf(testing::Ge(-1), testing::Le(1))));
  }
}

// What reaches the location is sum_t mean(d log pi (cost - baseline)), and nothing else.
TEST(GlimpseModel, PlacesLearnFromTheRewardAlone) {
  for (const char* core : {"rnn", "lstm"}) {
    manual_seed(5);
    const GlimpseModel model(small(core));
    const Tensor labels(Array::from<Index>({1, 0, 9, 4, 4}));
    const Episode episode = model(rand({kB, 1, 13, 17}, DType::f64), kRuns);
    const auto guesses = argmax(episode.logits[3], -1).array().to_vector<Index>();
    std::vector<double> cost;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      cost.push_back(guesses[i] == labels.array().to_vector<Index>()[i / kRuns] ? -1 : 0);
    }
    const Tensor costs(Array::from(cost));
    Tensor expected = tensor(0, DType::f64), baselines = expected;
    for (Index t = 0; t < 4; ++t) {
      const Tensor& b = episode.baselines[static_cast<std::size_t>(t)];
      const Tensor log_chance = sum(episode.samples.log_prob(t), {1});
      expected = expected + mean(log_chance * (costs - b).detach());
      baselines = baselines + 0.5 * mean(square(b - costs));
    }
    const std::vector<Tensor> places = model.locate.parameters();
    const auto wanted = grad({expected}, places, {}, {.retain_graph = true});
    const std::vector<Tensor> linear = model.baseline.parameters();
    const auto wanted_baseline = grad({baselines}, linear, {}, {.retain_graph = true});
    const Losses losses = losses_of(episode, labels, kRuns, 0.7);
    losses.total.backward();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_THAT(numbers(places[i].grad()), Pointwise(DoubleNear(1e-12), numbers(wanted[i])));
      EXPECT_THAT(numbers(linear[i].grad()),
                  Pointwise(DoubleNear(1e-12), numbers(wanted_baseline[i])));
    }
    for (const auto& [key, parameter] : model.named_parameters()) {
      EXPECT_TRUE(parameter.grad().defined()) << key;
    }
    const double right = -sum(costs).item() / static_cast<double>(guesses.size());
    EXPECT_NEAR(losses.error, 1 - right, 1e-12);
    EXPECT_GT(losses.classes, 0);
  }
}

// In the place of 1 where a guess is right: the probability that it gave the class.
TEST(GlimpseModel, MayBeRewardedByTheProbability) {
  manual_seed(7);
  const GlimpseModel model(small());
  const Tensor labels(Array::from<Index>({1, 0, 9, 4, 4}));
  const Episode episode = model(rand({kB, 1, 13, 17}, DType::f64), kRuns);
  const Tensor chances = softmax(episode.logits.back().detach(), -1);
  const Tensor rewards =
      squeeze(gather(chances, 1, unsqueeze(repeat_interleave(labels, kRuns, 0), 1)), 1);
  Tensor expected = tensor(0, DType::f64);
  for (Index t = 0; t < 4; ++t) {
    const Tensor& b = episode.baselines[static_cast<std::size_t>(t)];
    expected = expected - mean(sum(episode.samples.log_prob(t), {1}) * (rewards + b).detach());
  }
  const std::vector<Tensor> places = model.locate.parameters();
  const auto wanted = grad({expected}, places, {}, {.retain_graph = true});
  losses_of(episode, labels, kRuns, 0, Reward::probability).total.backward();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(numbers(places[i].grad()), Pointwise(DoubleNear(1e-12), numbers(wanted[i])));
  }
}

TEST(GlimpseModel, PathsAreDrawnForEachDigit) {
  manual_seed(6);
  GlimpseModel model({.size = 60, .count = 3, .hidden = 7, .width = 11});
  Generator generator(2);
  const Digits digits = draw_digits(7, generator);
  const train::Picture picture = draw_paths(model, digits, 2, 3, 1);
  EXPECT_GT(picture.width(), 3 * 60);
  EXPECT_GT(picture.height(), 2 * 60);
  EXPECT_EQ(picture.bytes(), draw_paths(model, digits, 2, 3, 1).bytes());
  EXPECT_EQ(draw_paths(model, digits, 100, 3, 1).width(), picture.width());  // only 7 to draw
}

TEST(GlimpseModel, RefusesOptionsThatMakeNoSense) {
  const auto make = [](ModelOptions options) { GlimpseModel{options}; };
  EXPECT_ERROR(ValueError, "glimpses 0 must be in [1, 1000]", make({.count = 0}));
  for (const double sigma : {0.0, -1.0, static_cast<double>(NAN)}) {
    EXPECT_ERROR_WITH(ValueError, "sigma", make({.sigma = sigma}));
  }
  EXPECT_ERROR_WITH(ValueError, "scales 30", make({.scales = 30}));
  EXPECT_ERROR_WITH(ValueError, "core \"gru\"", make({.core = "gru"}));
}

}  // namespace
}  // namespace glimpses
