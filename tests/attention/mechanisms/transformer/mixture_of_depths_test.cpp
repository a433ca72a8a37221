#include "../../../../attention/mechanisms/transformer/mixture_of_depths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../../autograd/grad_mode.h"
#include "../../../../autograd/ops/elementwise/activation.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/index.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../nn/init.h"
#include "../../../support/throws.h"
#include "../plain.h"

namespace heed::attention {
namespace {

using plain::leaves_of;

constexpr Index kB = 2, kT = 7, kE = 6;

MixtureOfDepthsOptions options() {
  return {.block = {.width = kE,
                    .heads = 2,
                    .hidden = 4,
                    .dropout = 0,
                    .pre_norm = true,
                    .activation = Activation::gelu,
                    .dtype = DType::f64},
          .capacity = 0.45,
          .hidden = 3};
}

class Depths : public testing::Test {
 protected:
  const bool seeded_ = (manual_seed(81), true);  // before what is drawn below
  Depths() {
    for (const Tensor& each : made.parameters()) nn::normal_(each, 0, 0.7);
  }
  MixtureOfDepths made{options()};
  Tensor x = randn({kB, kT, kE}, DType::f64);
};

// Row by row: the block by itself over the chosen tokens, and each put back where it stood.
TEST_F(Depths, LetTheChosenThroughTheBlock) {
  const NoGrad off;
  for (const std::vector<Index>& lengths : {std::vector<Index>{}, {kT, 5}, {2, 1}, {1, 0}}) {
    const MixtureOfDepthsOutput seen = made(x, lengths);
    const Numbers w = numbers(made.router.weight);
    Numbers wanted, losses[2];
    std::vector<bool> chosen;
    for (Index b = 0; b < kB; ++b) {
      const Index n = lengths.empty() ? kT : lengths[static_cast<std::size_t>(b)];
      const auto tokens = plain::rows_of(Block(x), static_cast<std::size_t>(b), n);
      std::vector<Index> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      const auto r = [&](Index t) { return plain::dot(w, tokens[static_cast<std::size_t>(t)]); };
      std::sort(order.begin(), order.end(), [&](Index i, Index j) { return r(i) > r(j); });
      order.resize(static_cast<std::size_t>(
          n == 0 ? 0 : std::max(1.0, std::floor(0.45 * static_cast<double>(n)))));
      std::sort(order.begin(), order.end());
      const Tensor in = unsqueeze(index_select(select(x, 0, b), 0, Tensor(Array::from(order))), 0);
      const Tensor y = n == 0 ? in : made.block(in, {.mask = Mask::causal()}).context;
      const auto f = plain::rows_of(Block(y - in), 0, static_cast<Index>(order.size()));
      for (Index t = 0; t < kT; ++t) {
        const auto at_t = std::find(order.begin(), order.end(), t);
        chosen.push_back(at_t != order.end());
        if (t >= n) {
          wanted.insert(wanted.end(), kE, 0.0);
          continue;
        }
        Numbers row = tokens[static_cast<std::size_t>(t)];
        const Numbers said = plain::affine(made, "predictor1", row);
        Numbers inner;
        for (const double each : said) inner.push_back(std::max(each, 0.0));
        const double logits[] = {plain::affine(made, "predictor2", inner)[0], r(t)};
        for (int i = 0; i < 2; ++i) {
          const double p = plain::sigmoid(logits[i]);
          losses[i].push_back(-std::log(chosen.back() ? p : 1 - p));
        }
        if (chosen.back()) {
          const Numbers& own = f[static_cast<std::size_t>(at_t - order.begin())];
          for (Index d = 0; d < kE; ++d) at(row, d) += r(t) * at(own, d);
        }
        wanted.insert(wanted.end(), row.begin(), row.end());
      }
    }
    const auto mean = [](const Numbers& each) {
      return std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
    };
    EXPECT_THAT(numbers(seen.output), near(wanted, 1e-10));
    EXPECT_EQ(seen.chosen.array().to_vector<bool>(), chosen);
    EXPECT_NEAR(seen.prediction_loss.item(), mean(losses[0]), 1e-12);
    EXPECT_NEAR(seen.router_loss.item(), mean(losses[1]), 1e-12);
  }
}

TEST_F(Depths, OfNoTokensLoseNothing) {
  const MixtureOfDepthsOutput none = made(x, {0, 0});
  EXPECT_EQ(none.router_loss.item(), 0);
  EXPECT_EQ(none.prediction_loss.item(), 0);
  EXPECT_EQ(numbers(none.output), Numbers(static_cast<std::size_t>(kB * kT * kE), 0.0));
  const Tensor one = narrow(x, 1, 0, 1);  // as long as the longest row, and a row without any
  EXPECT_EQ(made(one, {1, 0}).chosen.array().to_vector<bool>(), (std::vector<bool>{true, false}));
  MixtureOfDepths::State state;
  const NoGrad off;
  EXPECT_EQ(made.by_prediction(narrow(x, 0, 0, 0), state).shape(), (Shape{0, kT, kE}));
  EXPECT_EQ(made.by_prediction(narrow(x, 1, 0, 0), state).shape(), (Shape{kB, 0, kE}));
  EXPECT_EQ(state.past.length(), 0);
}

TEST_F(Depths, HaveGradientsOfFirstAndSecondOrder) {
  const auto leaves = leaves_of(made, {{"x", x}});
  for (const bool both_ways : {false, true}) {
    plain::expect_gradients(
        leaves,
        [&] {
          const MixtureOfDepthsOutput seen = made(x, {kT, 5}, both_ways);
          return std::vector<Tensor>{seen.output, seen.router_loss};
        },
        2);
  }
}

// x stands still for the predictor's loss.
TEST_F(Depths, ThePredictorMovesNothingButItself) {
  x.set_requires_grad();
  made.zero_grad();
  made(x).prediction_loss.backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(made.router.weight.grad().defined());
  EXPECT_TRUE(made.predictor1.weight.grad().defined());
}

TEST_F(Depths, WhatIsBeyondTheLengthChangesNoBit) {
  const Tensor clean = x;
  plain::expect_hidden([&](double beyond) {
    const Tensor dirty = plain::spoiled(clean, {kT, 4}, beyond);
    return plain::bits_of(leaves_of(made, {{"x", dirty}}), [&] {
      const MixtureOfDepthsOutput seen = made(dirty, {kT, 4});
      return std::vector<Tensor>{seen.output, seen.prediction_loss, seen.router_loss};
    });
  });
}

// Where the predictor is right, the steps are the whole; rows of a batch choose by themselves.
TEST_F(Depths, GoOnByThePrediction) {
  const NoGrad off;
  MixtureOfDepths::State all;
  const Tensor whole = made.by_prediction(x, all);
  const Tensor named = squeeze(made.predictor2(relu(made.predictor1(x))), 2) > 0;
  for (Index b = 0; b < kB; ++b) {
    const auto own = select(named, 0, b).array().to_vector<bool>();
    std::vector<Index> chosen;
    for (Index t = 0; t < kT; ++t) {
      if (own[static_cast<std::size_t>(t)]) chosen.push_back(t);
    }
    ASSERT_FALSE(chosen.empty());
    ASSERT_LT(chosen.size(), static_cast<std::size_t>(kT));
    const Tensor index(Array::from(chosen));
    const Tensor row = select(x, 0, b), in = unsqueeze(index_select(row, 0, index), 0);
    const Tensor f = made.block(in, {.mask = Mask::causal()}).context - in;
    const Tensor wanted = index_add(row, 0, index, select(made.router(in) * f, 0, 0));
    EXPECT_LT(difference(select(whole, 0, b), wanted), 1e-12);
  }
  MixtureOfDepths::State state;
  Tensor steps;
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 2}, {2, 1}, {3, 1}, {4, 3}}) {
    const Tensor part = made.by_prediction(narrow(x, 1, first, count), state);
    EXPECT_LT(difference(part, narrow(whole, 1, first, count)), 1e-12) << first;
  }
  MixtureOfDepths::State turned;
  made.by_prediction(narrow(x, 1, 0, 4), turned);
  const Tensor rows(Array::from(std::vector<Index>{1, 0}));
  turned.reorder(rows);
  const Tensor rest = made.by_prediction(narrow(index_select(x, 0, rows), 1, 4, 3), turned);
  EXPECT_LT(difference(rest, narrow(index_select(whole, 0, rows), 1, 4, 3)), 1e-12);
}

TEST_F(Depths, HooksHearOfStepsToo) {
  const NoGrad off;
  nn::zeros_(made.predictor2.weight);
  nn::constant_(made.predictor2.bias, 1);
  made.register_forward_hook([](const nn::Module&, const Tensor& out) { return out * 0; });
  MixtureOfDepths::State state;
  EXPECT_EQ(numbers(made.by_prediction(x, state)),
            Numbers(static_cast<std::size_t>(x.numel()), 0.0));
}

TEST_F(Depths, RunNoBlockWhereNobodyIsChosen) {
  const NoGrad off;
  nn::zeros_(made.predictor2.weight);
  nn::constant_(made.predictor2.bias, -1);
  MixtureOfDepths::State state;
  EXPECT_EQ(difference(made.by_prediction(x, state), x), 0);
  EXPECT_EQ(state.past.length(), 0);
}

TEST(MixtureOfDepths, ThePredictorIsAsWideAsTheBlockUnlessSaidOtherwise) {
  for (const auto& [hidden, width] : {std::pair<Index, Index>{0, kE}, {1, 1}, {3, 3}}) {
    MixtureOfDepthsOptions o = options();
    o.hidden = hidden;
    const MixtureOfDepths made(o);
    EXPECT_EQ(made.predictor1.weight.shape(), (Shape{width, kE})) << hidden;
    EXPECT_EQ(made.predictor2.weight.shape(), (Shape{1, width})) << hidden;
  }
}

TEST_F(Depths, RefuseWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError, "mixture_of_depths: x must be [.., n, 6], not f64[2, 7, 4]",
               made(zeros({kB, kT, 4}, DType::f64)));
  MixtureOfDepths::State state;
  EXPECT_ERROR(GradError, "mixture_of_depths: steps are made under NoGrad",
               made.by_prediction(x, state));
  const auto with = [](auto change) {
    MixtureOfDepthsOptions o = options();
    change(o);
    const MixtureOfDepths refused(o);
  };
  EXPECT_ERROR(ValueError, "mixture_of_depths: capacity 0 is not in (0, 1]",
               with([](auto& o) { o.capacity = 0; }));
  EXPECT_ERROR(ValueError, "mixture_of_depths: capacity 1.5 is not in (0, 1]",
               with([](auto& o) { o.capacity = 1.5; }));
  EXPECT_NO_THROW(with([](auto& o) { o.capacity = 1; }));
  EXPECT_ERROR(ValueError, "mixture_of_depths: hidden -1 is negative",
               with([](auto& o) { o.hidden = -1; }));
  EXPECT_ERROR(ValueError,
               "mixture_of_depths: rotary positions would count the chosen tokens alone",
               with([](auto& o) { o.block.rotary = true; }));
}

}  // namespace
}  // namespace heed::attention
