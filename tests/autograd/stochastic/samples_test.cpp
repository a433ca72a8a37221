// The surrogate's derivatives: their mean over all draws, each weighed by its probability, is the
// derivative of the expected cost, exactly, at every order.
#include "../../../autograd/stochastic/samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "../../../autograd/autograd.h"
#include "../../../core/core.h"
#include "../../support/throws.h"

namespace heed {
namespace {

// Two dependent choices of 3 places for 2 examples that know nothing of each other, a cost after
// each choice and a bonus for entropy.
struct Chain {
  bool with_baselines = false;
  double entropy = 0, discount = 1;

  Tensor follow = tensor({0.3, -0.8, 1.1, 0.2, 0.5, -0.4, -1.2, 0.9, 0.1}, {3, 3}, DType::f64);
  Tensor pay = tensor({1.5, -0.7, 0.4, 0.9, -1.1, 2.2, 0.6, 0.8, -0.5}, {3, 3}, DType::f64);

  // Calls visit(first, second, log-probabilities, entropies, costs) for all draws [2], [2].
  template <class Visit>
  void each(const Tensor& theta, const Visit& visit) const {  // theta [2, 3]
    for (Index code = 0; code < 81; ++code) {
      const auto at = [&](Index a, Index b) {
        return Tensor(Array::from(std::vector<Index>{a, b}));
      };
      const Tensor first = at(code % 3, code / 3 % 3), second = at(code / 9 % 3, code / 27);
      const auto one = Categorical::from_logits(theta);
      const auto two = Categorical::from_logits(theta * 0.5 + embedding(follow, first));
      const Tensor paid =
          squeeze(gather(embedding(pay, first), 1, unsqueeze(second, 1)), 1);  // depends on both
      const Tensor direct = select(theta, 1, 0);
      visit(std::vector<Tensor>{one.log_prob(first), two.log_prob(second)},
            std::vector<Tensor>{one.entropy(), two.entropy()},
            std::vector<Tensor>{sum(embedding(pay, first), {1}) * direct,
                                square(paid) + 0.3 * sin(direct)});
    }
  }

  Tensor expected(const Tensor& theta) const {
    Tensor total;
    each(theta, [&](const auto& l, const auto& h, const auto& c) {
      const Tensor cost = c[0] + c[1] * discount - entropy * (h[0] + h[1] * discount);
      const Tensor term = exp(sum(l[0] + l[1])) * mean(cost);
      total = total.defined() ? total + term : term;
    });
    return total;
  }

  // Surrogates weighed by constant probabilities.
  Tensor surrogates(const Tensor& theta) const {
    Tensor total;
    each(theta, [&](const auto& l, const auto& h, const auto& c) {
      Samples samples({.entropy = entropy, .discount = discount});
      for (std::size_t w = 0; w < 2; ++w) {
        samples.record(l[w], h[w]);
        samples.add_cost(c[w]);
      }
      // The second may depend on what the first draw cost.
      const Tensor s =
          with_baselines
              ? samples.surrogate({tensor({0.7, -1.3}, {2}, DType::f64), c[0].detach() * 0.5 + 1})
              : samples.surrogate();
      EXPECT_NEAR(s.item(),
                  mean(c[0] + c[1] * discount - entropy * (h[0] + h[1] * discount)).item(), 1e-12);
      const Tensor term = exp(sum(l[0] + l[1]).detach()) * s;
      total = total.defined() ? total + term : term;
    });
    return total;
  }
};

class Surrogate : public testing::TestWithParam<std::tuple<bool, double, double>> {};

TEST_P(Surrogate, HasTheDerivativesOfTheExpectedCostAtFirstSecondAndThirdOrder) {
  const auto& [with_baselines, entropy, discount] = GetParam();
  Chain chain;
  chain.with_baselines = with_baselines;
  chain.entropy = entropy;
  chain.discount = discount;
  const Tensor theta = tensor({0.2, -0.5, 0.7, -0.1, 0.4, 1.0}, {2, 3}, DType::f64);
  const OneToOne truth = [&](const Tensor& x) { return chain.expected(x); };
  const OneToOne estimate = [&](const Tensor& x) { return chain.surrogates(x); };

  const Tensor slope = vjp(truth, theta).product;
  EXPECT_GT(amax(abs(slope)).item(), 0.05);
  EXPECT_LT(amax(abs(slope - vjp(estimate, theta).product)).item(), 1e-13);
  const Tensor bend = hessian(truth, theta);
  EXPECT_GT(amax(abs(bend)).item(), 0.05);
  EXPECT_LT(amax(abs(bend - hessian(estimate, theta))).item(), 1e-12);

  const Tensor along = tensor({1, -2, 0.5, 0.7, 1.1, -0.3}, {2, 3}, DType::f64);
  const auto slope_along = [&](const OneToOne& f) {
    return [&f, &along](const Tensor& x) {
      return sum(grad({f(x)}, {x}, {}, {.create_graph = true})[0] * along);
    };
  };
  const Tensor third = hessian(slope_along(truth), theta);
  EXPECT_GT(amax(abs(third)).item(), 0.05);
  EXPECT_LT(amax(abs(third - hessian(slope_along(estimate), theta))).item(), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(With, Surrogate,
                         testing::Combine(testing::Bool(), testing::Values(0.0, 0.3),
                                          testing::Values(1.0, 0.8)));

// Leaves with these log-probabilities' shapes.
Tensor leaf(const Shape& shape) {
  return clone(Tensor(Generator(static_cast<std::uint64_t>(shape.numel()))
                          .normal(shape, 0, 1, DType::f64)))
      .set_requires_grad();
}

TEST(Samples, CreditsACostToTheDrawsBeforeIt) {
  const Tensor a = leaf({3}), b = leaf({3});
  Samples samples;
  samples.record(a);
  samples.add_cost(tensor({1, 2, 3}, {3}, DType::f64));
  samples.record(b);
  samples.add_cost(tensor({10, 20, 30}, {3}, DType::f64));
  EXPECT_EQ(samples.cost_after(0).array().to_vector<double>(), (std::vector<double>{11, 22, 33}));
  EXPECT_EQ(samples.cost_after(1).array().to_vector<double>(), (std::vector<double>{10, 20, 30}));
  const Tensor s = samples.surrogate();
  EXPECT_DOUBLE_EQ(s.item(), 22);
  const auto g = grad({s}, {a, b});
  EXPECT_EQ((g[0] * 3).array().to_vector<double>(), (std::vector<double>{11, 22, 33}));
  EXPECT_EQ((g[1] * 3).array().to_vector<double>(), (std::vector<double>{10, 20, 30}));
}

TEST(Samples, CreditsWhatItIsToldInstead) {
  const Tensor a = leaf({3}), b = leaf({3});
  Samples samples;
  samples.record(a);
  samples.record(b);
  samples.add_cost(tensor({1, 2, 3}, {3}, DType::f64), {.draws = {1}});
  const auto g = grad({samples.surrogate()}, {a, b});
  EXPECT_FALSE(g[0].defined());
  EXPECT_EQ((g[1] * 3).array().to_vector<double>(), (std::vector<double>{1, 2, 3}));
  EXPECT_ERROR(Error, "Samples::cost_after: no cost depends on draw 0", samples.cost_after(0));
}

TEST(Samples, CreditsACostToAllDrawsThatItNames) {
  const Tensor a = leaf({3}), b = leaf({3}), c = leaf({3});
  Samples samples;
  for (const Tensor& each : {a, b, c}) samples.record(each);
  samples.add_cost(tensor({1, 2, 3}, {3}, DType::f64), {.draws = {0, 2}});
  const auto g = grad({samples.surrogate()}, {a, b, c});
  EXPECT_FALSE(g[1].defined());
  for (const Tensor& each : {g[0], g[2]}) {
    EXPECT_EQ((each * 3).array().to_vector<double>(), (std::vector<double>{1, 2, 3}));
  }
}

TEST(Samples, LinesUpAxesAtTheFront) {
  const Tensor one = leaf({3}), point = leaf({3, 2}), shared = leaf({1, 3}), several = leaf({5, 3});
  {
    Samples samples;  // a point [3, 2] is one draw beside a cost [3]
    samples.record(point);
    samples.add_cost(tensor({1, 2, 3}, {3}, DType::f64));
    const Tensor g = grad({samples.surrogate()}, {point})[0] * 3;
    EXPECT_EQ(g.array().to_vector<double>(), (std::vector<double>{1, 1, 2, 2, 3, 3}));
  }
  {
    Samples samples;  // a cost [3, 4] is four costs of each draw
    samples.record(one);
    samples.add_cost(Tensor(Generator(1).normal({3, 4}, 0, 1, DType::f64)));
    const Tensor g = grad({samples.surrogate()}, {one})[0];
    EXPECT_LT(amax(abs(g - mean(samples.cost_after(0), {1}) / 3)).item(), 1e-15);
  }
  {
    Samples samples;  // one draw beside five
    samples.record(shared);
    samples.record(several);
    samples.add_cost(Tensor(Generator(2).normal({5, 3}, 0, 1, DType::f64)));
    const auto g = grad({samples.surrogate()}, {shared, several});
    const Tensor cost = samples.cost_after(1) / 15;
    EXPECT_LT(amax(abs(g[0] - sum(cost, {0}, true))).item(), 1e-15);
    EXPECT_LT(amax(abs(g[1] - cost)).item(), 1e-15);
  }
  {
    Samples samples;  // a scalar depends on all
    samples.record(several);
    samples.add_cost(tensor(2, DType::f64));
    const Tensor g = grad({samples.surrogate()}, {several})[0];
    EXPECT_EQ(amin(g).item(), 2);
    EXPECT_EQ(amax(g).item(), 2);
  }
}

TEST(Samples, TakesABaselineOffTheCost) {
  const Tensor a = leaf({3});
  Samples samples;
  samples.record(a);
  samples.add_reward(tensor({1, 2, 3}, {3}, DType::f64));
  const Tensor learned = leaf({3});
  const Tensor s = samples.surrogate(learned);
  EXPECT_DOUBLE_EQ(s.item(), -2);
  const auto g = grad({s}, {a, learned});
  EXPECT_FALSE(g[1].defined()) << "a baseline gets no gradient here";
  EXPECT_LT(amax(abs(g[0] * 3 + tensor({1, 2, 3}, {3}, DType::f64) + learned)).item(), 1e-14);
}

TEST(Samples, TakesNoInfiniteBaselineOffTheCost) {
  const Tensor a = leaf({4});
  Samples samples;
  samples.record(a);
  samples.add_cost(tensor({1, 2, 3, 4}, {4}, DType::f64));
  const Tensor loss = samples.surrogate(tensor({INFINITY, 1, -INFINITY, 0.5}, {4}, DType::f64));
  EXPECT_EQ(loss.item(), 2.5);
  const Tensor g = grad({loss}, {a})[0] * 4;
  EXPECT_EQ(g.array().to_vector<double>(), (std::vector<double>{1, 1, 3, 3.5}));
}

TEST(Samples, TakesNoGradientOfRewards) {
  const Tensor a = leaf({3}), outside = leaf({3});
  Samples samples;
  samples.record(a);
  samples.add_reward(outside);
  EXPECT_FALSE(grad({samples.surrogate()}, {a, outside})[1].defined());
}

TEST(Samples, DrawsAndRecordsEachDistribution) {
  Generator generator(4);
  Samples samples({.entropy = 0.1, .generator = &generator});
  const Tensor logits = leaf({3, 5}), mean_of = leaf({3, 2}), odds = leaf({3, 4});
  EXPECT_EQ(samples.draw(Categorical::from_logits(logits)).shape(), Shape{3});
  EXPECT_EQ(samples.draw(Normal(mean_of, 0.5)).shape(), (Shape{3, 2}));
  EXPECT_EQ(samples.draw(Bernoulli::from_logits(odds)).shape(), (Shape{3, 4}));
  samples.add_cost(randn({3}, DType::f64, generator));
  samples.surrogate().backward();
  for (const Tensor& x : {logits, mean_of, odds}) EXPECT_TRUE(x.grad().defined());
  EXPECT_EQ(samples.size(), 3);
  EXPECT_EQ(samples.log_prob(1).shape(), (Shape{3, 2}));
}

TEST(Samples, RefusesWhatCannotBeCredited) {
  Samples samples;
  const Tensor cost = zeros({3}, DType::f64);
  samples.add_cost(cost);
  EXPECT_ERROR(Error,
               "Samples::surrogate: no cost depends on any draw, so there is nothing to estimate: "
               "draw() first, then add_cost() what came of it (0 draws, 1 costs)",
               samples.surrogate());
  samples.record(leaf({3}));
  EXPECT_THROW(samples.surrogate(), GradError);
  EXPECT_ERROR(Error,
               "Samples::add_cost: a draw's [3] and a cost's [4] differ in axis 0; they are "
               "aligned at the front, and must be equal or 1 there",
               samples.add_cost(zeros({4}, DType::f64)));
  EXPECT_ERROR(Error, "Samples::add_cost: cost f64[3] holds a NaN",
               samples.add_cost(full({3}, NAN, DType::f64)));
  EXPECT_ERROR(Error, "Samples::add_reward: reward f64[3] holds a NaN",
               samples.add_reward(full({3}, NAN, DType::f64)));
  EXPECT_THROW(samples.add_reward(zeros({2}, DType::f64)), ShapeError);
  EXPECT_ERROR(Error, "Samples::add_cost: draw 1 was asked for; there are 1",
               samples.add_cost(cost, {.draws = {1}}));
  EXPECT_ERROR(Error, "Samples::record: log-probabilities f32[3] are not all finite",
               samples.record(full({3}, -INFINITY)));
  samples.add_cost(cost);
  EXPECT_ERROR(Error, "Samples::surrogate: 2 baselines for 1 draws",
               samples.surrogate(std::vector<Tensor>(2, cost)));
  EXPECT_ERROR(Error, "Samples::surrogate: baseline f64[3] holds a NaN",
               samples.surrogate(full({3}, NAN, DType::f64)));
  EXPECT_THROW(samples.surrogate(zeros({2}, DType::f64)), ShapeError);
  EXPECT_THROW(samples.add_cost(Tensor()), GradError);
  EXPECT_ERROR_WITH(GradError, "Samples::record: log_prob", samples.record(Tensor()));
  EXPECT_ERROR_WITH(GradError, "Samples::surrogate: baseline", samples.surrogate(Tensor()));
  EXPECT_ERROR(Error, "Samples: entropy and discount must be finite and not negative: 0 and -1",
               Samples({.discount = -1}));
}

TEST(Samples, GivesABonusForTheEntropyOfWhatItDraws) {
  Generator generator(5);
  const auto places = Categorical::from_logits(leaf({3, 5}));
  const Normal point(leaf({3, 2}), 0.5);
  const auto flags = Bernoulli::from_logits(leaf({3, 4}));
  const std::vector<std::function<void(Samples&)>> draws = {[&](Samples& s) { s.draw(places); },
                                                            [&](Samples& s) { s.draw(point); },
                                                            [&](Samples& s) { s.draw(flags); }};
  const std::vector<Tensor> entropies = {places.entropy(), sum(point.entropy(), {1}),
                                         sum(flags.entropy(), {1})};
  for (std::size_t i = 0; i < draws.size(); ++i) {
    Samples samples({.entropy = 0.3, .generator = &generator});
    draws[i](samples);
    samples.add_cost(tensor({1, 2, 6}, {3}, DType::f64));
    EXPECT_NEAR(samples.surrogate().item(), 3 - 0.3 * mean(entropies[i]).item(), 1e-14) << i;
  }
  Samples several({.entropy = 0.3, .generator = &generator});  // of one distribution
  several.draw(places, 4);
  several.add_cost(ones({4, 3}, DType::f64));
  EXPECT_NEAR(several.surrogate().item(), 1 - 0.3 * mean(places.entropy()).item(), 1e-14);
  Samples unknown({.entropy = 0.3});
  unknown.record(leaf({3}));
  unknown.add_cost(tensor({1, 2, 6}, {3}, DType::f64));
  EXPECT_EQ(unknown.surrogate().item(), 3);
}

TEST(Samples, TakesADrawThatNothingCostsAfter) {
  const Tensor first = leaf({3}), last = leaf({3});
  Samples samples({.entropy = 0.5});
  samples.record(first, full({3}, 2, DType::f64));
  samples.add_cost(tensor({1, 2, 6}, {3}, DType::f64));
  samples.record(last, full({3}, 8, DType::f64));
  const Tensor loss = samples.surrogate(tensor(2, DType::f64));
  EXPECT_EQ(loss.item(), 3 - 0.5 * 2 - 0.5 * 8);
  const auto g = grad({loss}, {first, last});
  // The first is followed by its cost less the baseline, and by the bonus of the last.
  EXPECT_EQ((g[0] * 3).array().to_vector<double>(), (std::vector<double>{-5, -4, 0}));
  EXPECT_FALSE(g[1].defined());
}

TEST(Samples, CostsCountByTheirStep) {
  const auto total = [](double discount) {
    Samples samples({.discount = discount});
    samples.add_cost(full({3}, 1, DType::f64));  // before any draw
    samples.record(leaf({3}));
    samples.record(leaf({3}));
    samples.add_cost(full({3}, 8, DType::f64));  // of the second
    samples.add_cost(full({3}, 2, DType::f64), {.step = 0});
    samples.add_cost(full({3}, 4, DType::f64), {.step = 3});
    return samples.surrogate().item();
  };
  EXPECT_EQ(total(0.5), 1 + 4 + 2 + 0.5);
  EXPECT_EQ(total(1), 15);
  EXPECT_EQ(total(2), 1 + 16 + 2 + 32);
  EXPECT_EQ(total(0), 1 + 2);
}

// What the costs of several shapes add up to is what weighs the draw in the gradient.
TEST(Samples, FollowsADrawByCostsOfSeveralShapes) {
  const Tensor a = leaf({3});
  Samples samples;
  samples.record(a);
  samples.add_cost(leaf({3}).detach());
  samples.add_cost(leaf({3, 4}).detach());
  samples.add_cost(tensor(0.7, DType::f64));
  samples.add_cost(leaf({1}).detach());
  const Tensor g = grad({samples.surrogate()}, {a})[0];
  EXPECT_LT(amax(abs(g * 3 - samples.cost_after(0))).item(), 1e-14);
  const Tensor wanted = leaf({3}) + mean(leaf({3, 4}), {1}) + 3 * 0.7 + 3 * leaf({1});
  EXPECT_LT(amax(abs(samples.cost_after(0) - wanted)).item(), 1e-14);
}

TEST(Samples, OneCostMayBeSharedByAllDraws) {
  const Tensor several = leaf({5, 3});
  Samples samples;
  samples.record(several);
  samples.add_cost(tensor({1, 2, 6}, {1, 3}, DType::f64));
  const Tensor g = grad({samples.surrogate()}, {several})[0] * 3;
  EXPECT_LT(amax(abs(g - tensor({1, 2, 6}, {1, 3}, DType::f64))).item(), 1e-15);
}

TEST(Samples, ACostNeedNotFitDrawsThatItDoesNotDependOn) {
  const Tensor other = leaf({5}), own = leaf({3});
  Samples samples;
  samples.record(other);
  samples.record(own);
  samples.add_cost(tensor({1, 2, 6}, {3}, DType::f64), {.draws = {1}});
  EXPECT_EQ((grad({samples.surrogate()}, {own})[0] * 3).array().to_vector<double>(),
            (std::vector<double>{1, 2, 6}));
  EXPECT_ERROR(GradError, "Samples::surrogate: baseline is undefined",
               samples.surrogate(std::vector<Tensor>(2)));
}

}  // namespace
}  // namespace heed
