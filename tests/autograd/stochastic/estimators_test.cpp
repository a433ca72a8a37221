// Estimators as a model uses them: batched, f32, beside parameters that the cost uses directly.
#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/core.h"
#include "../../../optim/adam.h"
#include "../../support/throws.h"
#include "problems.h"

namespace heed {
namespace {

using stochastic::Candidate;
using stochastic::Problem;

class EveryEstimator : public testing::TestWithParam<std::string> {};

TEST_P(EveryEstimator, GivesTheMeanCostAndTheGradientOfWhatTheCostUsesItself) {
  const Problem problem(1, 3);
  Candidate tried = stochastic::candidate(GetParam(), problem);
  if (tried.see) tried.see(zeros({7, 1, 3}, DType::f64));
  const Tensor logits = randn({7, 3}, DType::f64).set_requires_grad();
  const Tensor scale = tensor(2, DType::f64).set_requires_grad();
  // Costs that do not depend on the choice: nothing is left to chance.
  const auto cost = [&](Choices& choices) {
    const Tensor none = choices.choose(logits).pick_number(zeros({3}, DType::f64));
    return none + square(scale) * tensor({1, 2, 3, 4, 5, 6, 7}, {7}, DType::f64);
  };
  const Tensor loss = (*tried.estimator)(cost);
  EXPECT_EQ(loss.shape(), Shape());
  EXPECT_NEAR(loss.item(), 16, 1e-12);
  const Tensor g = grad({loss}, {scale})[0];
  EXPECT_NEAR(g.item(), 16, 1e-12);
}

TEST_P(EveryEstimator, RepeatsWithItsGenerator) {
  const Problem problem(2, 3);
  const Tensor rows = randn({5, 2, 3}, DType::f64).set_requires_grad();
  std::vector<double> losses;
  for (int time = 0; time < 2; ++time) {
    Candidate tried = stochastic::candidate(GetParam(), problem);
    if (tried.see) tried.see(rows);
    Generator generator(4);
    losses.push_back(
        (*tried.estimator)([&](Choices& c) { return problem.cost(c, rows); }, &generator).item());
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST_P(EveryEstimator, GoesRoundPlacesThatAreMasked) {
  const Problem problem(1, 3);
  Candidate tried = stochastic::candidate(GetParam(), problem);
  if (tried.see) tried.see(zeros({2, 1, 3}, DType::f64));
  const Tensor given = tensor({0.3, 1, -0.5, 2, 0.1, 0.4}, {2, 3}, DType::f64).set_requires_grad();
  const Tensor masked = masked_fill(given, given == 1.0, -std::numeric_limits<double>::infinity());
  const Tensor pay = tensor({1, 100, -2}, {3}, DType::f64);
  const Tensor loss =
      (*tried.estimator)([&](Choices& c) { return square(c.choose(masked).pick_number(pay)); });
  const Tensor g = grad({loss}, {given})[0];
  EXPECT_EQ(all(isfinite(g)).item(), 1) << to_string(g);
  EXPECT_EQ(g.array().data<double>()[1], 0);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryEstimator, testing::ValuesIn(stochastic::candidate_ids()),
                         [](const auto& kind) { return kind.param; });

// A point at which the reader looks: five places of which one holds what is asked for.
TEST(Estimators, TeachF32ModelsWhereToLook) {
  const Tensor marks = tensor({0, 0, 1, 0, 0}, {5});
  const auto learns = [&](Estimator& estimator) {
    Tensor logits = zeros({5}).set_requires_grad();
    std::vector<Tensor> all_of = estimator.parameters();
    all_of.push_back(logits);
    optim::Adam optimizer(all_of, {.lr = 0.05});
    Generator generator(9);
    for (int step = 0; step < 150; ++step) {
      optimizer.zero_grad();
      const Tensor rows = broadcast_to(logits, {16, 5});
      estimator([&](Choices& c) { return 1 - c.choose(rows).pick_number(marks); }, &generator)
          .backward();
      optimizer.step();
    }
    return softmax(logits, 0).array().to_vector<float>()[2];
  };
  Reinforce reinforce;
  MovingAverageReinforce average;
  const Tensor level = zeros({1}).set_requires_grad();
  LearnedBaseline learned([&] { return level; }, {level});
  LeaveOneOut others(2);
  SelfCritical critical;
  SoftBaseline soft;
  Vimco vimco(2);
  Relaxed gumbel(Relaxation::gumbel, 0.7), straight(Relaxation::straight_through);
  Relaxed both(Relaxation::straight_through_gumbel, 0.7);
  Rebar rebar;
  Relax relax;
  const Tensor weight = zeros({5}).set_requires_grad();
  Relax black_box({.eta = 0,
                   .control = [&](const Tensor& z, Index) { return sum(z * weight, {-1}); },
                   .parameters = {weight}});
  Enumeration exact;
  for (Estimator* estimator :
       std::vector<Estimator*>{&reinforce, &average, &learned, &others, &critical, &soft, &vimco,
                               &gumbel, &straight, &both, &rebar, &relax, &black_box, &exact}) {
    EXPECT_GT(learns(*estimator), 0.85) << estimator->name();
  }
  EXPECT_NE(level.item(), 0);
  EXPECT_NE(amax(abs(weight)).item(), 0);
  EXPECT_NE(relax.parameters()[1].item(), 1);
  EXPECT_EQ(black_box.parameters().size(), 1U);
}

// H v of every row, through a recorded backward pass, against enumeration's.
class SecondOrder : public testing::TestWithParam<std::string> {};

TEST_P(SecondOrder, MeansTheTrueHessianTimesAVector) {
  const Problem problem(2, 3);
  Candidate tried = stochastic::candidate(GetParam(), problem);
  const Tensor v = tensor({1, -2, 0.5, 0.7, 1.1, -0.3}, {2, 3}, DType::f64);
  const auto expected = [&](const Tensor& x) {
    return sum(enumerate([&](Choices& c) {
      const Tensor row = unsqueeze(x, 0);
      if (tried.bound_samples == 0) return problem.cost(c, row);
      std::vector<Tensor> costs;
      for (Index k = 0; k < tried.bound_samples; ++k) costs.push_back(problem.cost(c, row));
      return multi_sample_bound(stack(costs, 0));
    }));
  };
  constexpr Index kRows = 4096;
  const Tensor rows = clone(broadcast_to(problem.theta, {kRows, 2, 3})).set_requires_grad();
  if (tried.see) tried.see(rows);
  Generator generator(6);
  const auto draw = [&] {
    const Tensor loss =
        (*tried.estimator)([&](Choices& c) { return problem.cost(c, rows); }, &generator);
    const Tensor slope = grad({loss}, {rows}, {}, {.create_graph = true})[0];
    return grad({sum(slope * v)}, {rows})[0] * static_cast<double>(kRows);
  };
  const auto report = stochastic_gradcheck(
      draw, hvp(expected, problem.theta, v).product,
      {.resolution = 0, .max_samples = stochastic::full() ? 1 << 20 : 1 << 16});
  EXPECT_EQ(report.ok, tried.estimator->unbiased()) << report.text();
}

INSTANTIATE_TEST_SUITE_P(Of, SecondOrder,
                         testing::Values("Reinforce", "MovingAverage", "LearnedBaseline",
                                         "LeaveOneOut", "SelfCritical", "SoftBaseline", "Vimco",
                                         "StraightThrough"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(Estimators, SayThatAControlVariateHasNoSecondOrder) {
  const Problem problem(1, 3);
  const Tensor rows = randn({4, 1, 3}, DType::f64).set_requires_grad();
  Rebar rebar;
  const Tensor loss = rebar([&](Choices& c) { return problem.cost(c, rows); });
  EXPECT_THROW(grad({loss}, {rows}, {}, {.create_graph = true}), GradError);
}

TEST(Estimators, RefuseBadInput) {
  const Tensor logits = zeros({3, 5}, DType::f64).set_requires_grad();
  const auto nan = [&](Choices& c) {
    return c.choose(logits).pick_number(full({5}, NAN, DType::f64));
  };
  const auto wrong = [&](Choices& c) {
    c.choose(logits);
    return zeros({4}, DType::f64);
  };
  const auto none = [](Choices&) { return zeros({3}, DType::f64); };
  Reinforce plain;
  Rebar rebar;
  EXPECT_ERROR(Error, "Samples::add_cost: cost f64[3] holds a NaN", plain(nan));
  EXPECT_ERROR(Error, "Rebar: cost f64[3] holds a NaN", rebar(nan));
  EXPECT_ERROR(Error,
               "Samples::add_cost: a draw's [3] and a cost's [4] differ in axis 0; they are "
               "aligned at the front, and must be equal or 1 there",
               plain(wrong));
  EXPECT_ERROR(Error, "Rebar: cost f64[4] must have the first axes of the logits f64[3, 5]",
               rebar(wrong));
  EXPECT_THROW(plain(none), GradError);
  EXPECT_ERROR(Error, "Rebar: the function made no choice", rebar(none));
  // Chooses once more where its first choice is relaxed, when nothing more is prescribed.
  const auto fickle = [&](Choices& c) {
    const Choice first = c.choose(logits);
    const Choice last = first.is_hard() ? first : c.choose(logits);
    return last.pick_number(ones({5}, DType::f64));
  };
  EXPECT_ERROR(GradError,
               "control variate: the function made 1 choices, and more when they were relaxed",
               rebar(fickle));
  Relax broad({.control = [](const Tensor& z, Index) { return z; }});
  EXPECT_TRUE(throws<ShapeError>("Relax: the control variate is f64[3, 5], the cost f64[3]", [&] {
    broad([&](Choices& c) { return c.choose(logits).pick_number(ones({5}, DType::f64)); });
  }));
  EXPECT_ERROR(ValueError, "Rebar: eta inf must be finite", Rebar(1, INFINITY));
  LeaveOneOut others(2);
  EXPECT_TRUE(throws<Error>(
      "LeaveOneOut: the cost is f64[3]; its first axis must be that of the 2 samples", [&] {
        others([&](Choices& c) {
          return mean(c.choose(logits).pick_number(zeros({5}, DType::f64)), {0});
        });
      }));
  EXPECT_ERROR(Error, "LeaveOneOut: 1 samples; the others' costs need at least 2", LeaveOneOut(1));
  EXPECT_THROW(Vimco(1), ValueError);
  EXPECT_THROW(Relaxed(Relaxation::gumbel, 0), ValueError);
  EXPECT_NO_THROW(Relaxed(Relaxation::gumbel));  // tau is 1
  EXPECT_THROW(Rebar(0), ValueError);
  EXPECT_THROW(Relax({.tau = -1}), ValueError);
  EXPECT_THROW(LearnedBaseline(nullptr, {}), ValueError);
  EXPECT_ERROR(Error, "MovingAverage: decay 1 is not in [0, 1)", MovingAverage(1));
  EXPECT_THROW(MovingAverage().update(full({2}, NAN)), ValueError);
  EXPECT_ERROR(Error, "leave_one_out: cost f32[1, 3] needs a first axis of at least 2 samples",
               leave_one_out(zeros({1, 3})));
  EXPECT_ERROR(Error, "baseline_loss: prediction is f32[2], cost is f32[3]: one shape is needed",
               baseline_loss(zeros({2}), zeros({3})));
  EXPECT_ERROR(ShapeError, "multi_sample_bound: cost f32[0, 3] needs a first axis of samples",
               multi_sample_bound(zeros({0, 3})));
  EXPECT_ERROR(ShapeError, "multi_sample_bound: cost f32[] needs a first axis of samples",
               multi_sample_bound(tensor(1.0)));
  EXPECT_EQ(multi_sample_bound(tensor({{2.0, 3.0}})).array().to_vector<float>(),
            (std::vector<float>{2, 3}));  // of one sample its cost
  Vimco vimco(2);
  EXPECT_ERROR(GradError, "Vimco: the function made no choice", vimco([](Choices&) {
                 return zeros({2, 3}, DType::f64);
               }));
  EXPECT_ERROR(ValueError, "Vimco: 1 samples; the others' costs need at least 2", Vimco(1));
  EXPECT_ERROR_WITH(ValueError, "MovingAverage: decay -0.1 is not in [0, 1)", MovingAverage(-0.1));
  EXPECT_NO_THROW(MovingAverage(0));
}

TEST(Baselines, AreWhatTheirFormulasSay) {
  const Tensor cost = tensor({1, 2, 3, 5, 8, 13}, {3, 2}, DType::f64);
  EXPECT_EQ(leave_one_out(cost).array().to_vector<double>(),
            (std::vector<double>{5.5, 9, 4.5, 7.5, 2, 3.5}));
  MovingAverage average(0.9);
  EXPECT_EQ(average.value().item(), 0);
  average.update(full({3}, 10.0));
  average.update(full({3}, 20.0));
  EXPECT_DOUBLE_EQ(average.value(DType::f64).item(), 11);
  EXPECT_NEAR(multi_sample_bound(cost).array().data<double>()[0],
              -std::log((std::exp(-1.0) + std::exp(-3.0) + std::exp(-8.0)) / 3), 1e-14);
}

TEST(Baselines, OfOthersDoNotKnowOnesOwnCost) {
  EXPECT_EQ(leave_one_out(tensor({INFINITY, 1, 3}, {3}, DType::f64)).array().to_vector<double>(),
            (std::vector<double>{2, INFINITY, INFINITY}));
  EXPECT_EQ(leave_one_out(tensor({1, 1e30, 3}, {3})).array().to_vector<float>()[1], 2.0F);
}

TEST(Baselines, AnInfiniteCostIsLeftOutOfTheAverage) {
  MovingAverage average(0.5);
  for (const double cost : {2.0, double{INFINITY}, 4.0}) average.update(full({3}, cost));
  EXPECT_EQ(average.value().item(), 3);
  const Tensor logits = zeros({7, 3}, DType::f64).set_requires_grad();
  MovingAverageReinforce estimator;
  const auto estimate = [&](double cost) {
    const Tensor pay = full({3}, cost, DType::f64);
    return estimator([&](Choices& c) { return c.choose(logits).pick_number(pay); });
  };
  estimate(INFINITY);
  const Tensor loss = estimate(5);
  EXPECT_EQ(loss.item(), 5);
  EXPECT_EQ(all(isfinite(grad({loss}, {logits})[0])).item(), 1);
}

TEST(Estimators, OfOneSampleChooseOnceForEachRow) {
  const Tensor logits = randn({7, 3}, DType::f64).set_requires_grad();
  Reinforce plain;
  MovingAverageReinforce average;
  LearnedBaseline learned([] { return zeros({1}, DType::f64); }, {});
  SelfCritical critical;
  SoftBaseline soft;
  for (Estimator* estimator :
       std::vector<Estimator*>{&plain, &average, &learned, &critical, &soft}) {
    (*estimator)([&](Choices& choices) {
      const Tensor cost = choices.choose(logits).pick_number(zeros({3}, DType::f64));
      EXPECT_EQ(cost.shape(), Shape{7}) << estimator->name();
      return cost;
    });
  }
}

TEST(Estimators, OfSeveralSamplesTakeLogitsWithoutABatch) {
  const Tensor logits = randn({5}, DType::f64).set_requires_grad();
  const Tensor pay = randn({5}, DType::f64);
  LeaveOneOut others(2);
  Vimco vimco(2);
  for (Estimator* estimator : std::vector<Estimator*>{&others, &vimco}) {
    const Tensor loss = (*estimator)([&](Choices& c) { return c.choose(logits).pick_number(pay); });
    EXPECT_EQ(grad({loss}, {logits})[0].shape(), Shape{5}) << estimator->name();
    EXPECT_TRUE(throws<ShapeError>(
        std::string(estimator == &others ? "LeaveOneOut" : "Vimco") +
            ": the cost is f64[]; its first axis must be that of the 2 "
            "samples",
        [&] { (*estimator)([&](Choices& c) { return sum(c.choose(logits).pick_number(pay)); }); }));
  }
}

TEST(Estimators, SayThatThereIsNoCost) {
  const Tensor logits = zeros({3, 5}, DType::f64);
  const auto nothing = [&](Choices& c) {
    c.choose(logits);
    return Tensor();
  };
  LeaveOneOut others(2);
  Vimco vimco(2);
  Relaxed relaxed(Relaxation::gumbel);
  Rebar rebar;
  EXPECT_ERROR(GradError, "LeaveOneOut: cost is undefined", others(nothing));
  EXPECT_ERROR(GradError, "Vimco: cost is undefined", vimco(nothing));
  EXPECT_ERROR(GradError, "Relaxed: cost is undefined", relaxed(nothing));
  EXPECT_ERROR(GradError, "Rebar: cost is undefined", rebar(nothing));
  EXPECT_ERROR(ShapeError, "Rebar: cost f64[3, 5] must have the first axes of the logits f64[3, 5]",
               rebar([&](Choices& c) { return c.choose(logits).weights(); }));
}

// A control variate need not use all of its parameters, nor any.
TEST(Estimators, TrainNoParameterThatNothingDependsOn) {
  const Tensor logits = randn({3, 5}, DType::f64).set_requires_grad();
  const Tensor pay = randn({5}, DType::f64);
  const Tensor used = tensor(0.5, DType::f64).set_requires_grad();
  const Tensor idle = tensor(0.5, DType::f64).set_requires_grad();
  const auto cost = [&](Choices& c) { return c.choose(logits).pick_number(pay); };
  Relax one({.eta = 0,
             .control = [&](const Tensor& z, Index) { return used * sum(square(z), {-1}); },
             .parameters = {used, idle}});
  const auto of_one = grad({one(cost)}, {used, idle});
  EXPECT_TRUE(of_one[0].defined());
  EXPECT_FALSE(of_one[1].defined());
  Relax none({.eta = 0,
              .control = [](const Tensor& z, Index) { return sum(square(z), {-1}).detach(); },
              .parameters = {idle}});
  const auto of_none = grad({none(cost)}, {logits, idle});
  EXPECT_TRUE(of_none[0].defined());
  EXPECT_FALSE(of_none[1].defined());
}

}  // namespace
}  // namespace heed
