// Estimates of seeded draws against their formulas in loops: a baseline that is wrong by a little
// leaves the mean as it is and only adds variance, which no check of means sees.
#include "../../../autograd/stochastic/score_estimators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "../../../autograd/autograd.h"
#include "../../../autograd/stochastic/control_variate.h"
#include "../../../autograd/stochastic/enumeration.h"
#include "../../../autograd/stochastic/relaxed_estimators.h"
#include "../../../core/generator.h"
#include "../../support/numbers.h"

namespace heed {
namespace {

constexpr Index kRows = 3, kPlaces = 5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double cost_of(double paid) { return (paid - 0.4) * (paid - 0.4); }

// One choice a row, whose cost is (pay - 0.4)^2, and something of the sample's own.
struct Rows {
  Tensor logits, pay, extra = zeros({}, DType::f64);
  Tensor drawn;  // [.., N], of the last call

  Rows() {
    Generator generator(17);
    logits = randn({kRows, kPlaces}, DType::f64, generator).set_requires_grad();
    pay = randn({kPlaces}, DType::f64, generator);
  }
  // Of draws; greedy and soft choices leave `drawn` as it is.
  ChoiceCost cost() {
    return [this, first = true](Choices& choices) mutable {
      const Choice choice = choices.choose(logits);
      if (first) drawn = choice.index();
      first = false;
      return square(choice.pick_number(pay) - 0.4) + extra;
    };
  }
  std::vector<double> probabilities(Index row) const {
    const Numbers all = numbers(softmax(logits.detach(), -1));
    return {all.begin() + row * kPlaces, all.begin() + (row + 1) * kPlaces};
  }
  // Draw k of a row: its place, and its cost.
  Index place(Index k, Index row) const {
    return drawn.array().to_vector<Index>()[static_cast<std::size_t>(k * kRows + row)];
  }
  double cost(Index k, Index row) const {
    const double paid = numbers(pay)[static_cast<std::size_t>(place(k, row))];
    return cost_of(paid) + (extra.rank() == 0 ? 0 : numbers(extra)[static_cast<std::size_t>(k)]);
  }
};

// sum over draws of weight(k, row) grad log p(draw), [N, L].
Numbers scores(const Rows& rows, Index samples, const std::function<double(Index, Index)>& weight) {
  Numbers out;
  for (Index row = 0; row < kRows; ++row) {
    const Numbers p = rows.probabilities(row);
    for (Index at = 0; at < kPlaces; ++at) {
      double sum = 0;
      for (Index k = 0; k < samples; ++k) {
        const double score = (rows.place(k, row) == at ? 1 : 0) - p[static_cast<std::size_t>(at)];
        sum += weight(k, row) * score;
      }
      out.push_back(sum);
    }
  }
  return out;
}

Numbers slopes(const Tensor& loss, const Rows& rows) {
  return numbers(grad({loss}, {rows.logits}, {}, {.retain_graph = true})[0]);
}

void expect_near(const Numbers& found, const Numbers& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-13) << i;
}

TEST(ScoreEstimators, AMovingAverageServesBeforeItSeesTheDraws) {
  Rows rows;
  MovingAverageReinforce estimator(0.75);
  Reinforce plain;
  Generator generator(4), same(4);
  Numbers found = slopes(estimator(rows.cost(), &generator), rows);
  EXPECT_EQ(found, slopes(plain(rows.cost(), &same), rows));
  double average = 0;
  for (int time = 0; time < 3; ++time) {
    if (time > 0) found = slopes(estimator(rows.cost(), &generator), rows);
    expect_near(found, scores(rows, 1, [&](Index k, Index row) {
                  return (rows.cost(k, row) - average) / kRows;
                }));
    double mean_cost = 0;
    for (Index row = 0; row < kRows; ++row) mean_cost += rows.cost(0, row) / kRows;
    average = time == 0 ? mean_cost : 0.75 * average + 0.25 * mean_cost;
  }
}

TEST(ScoreEstimators, ALearnedBaselineIsTakenAwayAndTaught) {
  Rows rows;
  const Tensor level = tensor({0.7}, {1}, DType::f64).set_requires_grad();
  LearnedBaseline estimator([&] { return level * 2; }, {level});
  Generator generator(5);
  const Tensor loss = estimator(rows.cost(), &generator);
  expect_near(slopes(loss, rows), scores(rows, 1, [&](Index k, Index row) {
                return (rows.cost(k, row) - 1.4) / kRows;
              }));
  double wanted = 0;
  for (Index row = 0; row < kRows; ++row) wanted += 4 * (1.4 - rows.cost(0, row)) / kRows;
  EXPECT_NEAR(grad({loss}, {level})[0].item(), wanted, 1e-13);
}

TEST(ScoreEstimators, OthersCostsAreTakenAway) {
  Rows rows;
  LeaveOneOut estimator(4);
  Generator generator(6);
  const Tensor loss = estimator(rows.cost(), &generator);
  expect_near(slopes(loss, rows), scores(rows, 4, [&](Index k, Index row) {
                double others = 0;
                for (Index j = 0; j < 4; ++j) others += j == k ? 0 : rows.cost(j, row) / 3;
                return (rows.cost(k, row) - others) / (4 * kRows);
              }));
}

TEST(ScoreEstimators, TheLikeliestAndTheSoftChoicesCostIsTakenAway) {
  Rows rows;
  const Numbers pay = numbers(rows.pay);
  const auto paid = [&](Index row, bool soft) {
    const Numbers p = rows.probabilities(row);
    double sum = 0;
    std::size_t most = 0;
    for (std::size_t at = 0; at < p.size(); ++at) {
      if (p[at] > p[most]) most = at;
      sum += p[at] * pay[at];
    }
    return soft ? sum : pay[most];
  };
  SelfCritical critical;
  SoftBaseline soft;
  for (Estimator* const estimator :
       {static_cast<Estimator*>(&critical), static_cast<Estimator*>(&soft)}) {
    SCOPED_TRACE(estimator->name());
    Generator generator(7);
    const Tensor loss = (*estimator)(rows.cost(), &generator);
    expect_near(slopes(loss, rows), scores(rows, 1, [&](Index k, Index row) {
                  const double baseline = cost_of(paid(row, estimator == &soft));
                  return (rows.cost(k, row) - baseline) / kRows;
                }));
  }
}

// -log(mean_k exp(-f_k)), the cost of sample k being `own` if that is a number.
double bound(const Rows& rows, Index samples, Index row, Index k = -1, double own = 0) {
  double sum = 0;
  for (Index j = 0; j < samples; ++j) {
    sum += std::exp(-(j == k ? own : rows.cost(j, row))) / static_cast<double>(samples);
  }
  return -std::log(sum);
}

void expect_vimco(Rows& rows, Index samples) {
  Vimco estimator(samples);
  Generator generator(8);
  const Tensor loss = estimator(rows.cost(), &generator);
  double wanted = 0;
  for (Index row = 0; row < kRows; ++row) wanted += bound(rows, samples, row) / kRows;
  EXPECT_NEAR(loss.item(), wanted, 1e-13);
  expect_near(slopes(loss, rows), scores(rows, samples, [&](Index k, Index row) {
                double others = 0;
                for (Index j = 0; j < samples; ++j) {
                  if (j != k) others += rows.cost(j, row) / static_cast<double>(samples - 1);
                }
                const double without = bound(rows, samples, row, k, others);
                const double all = bound(rows, samples, row);
                return (std::isinf(without) ? all : all - without) / kRows;
              }));
}

TEST(ScoreEstimators, VimcoTakesTheBoundWithoutTheSampleAway) {
  Rows rows;
  expect_vimco(rows, 4);
}

TEST(ScoreEstimators, VimcoTakesSamplesOfLikelihoodZero) {
  Rows rows;
  rows.extra = tensor({0, kInfinity, 0.5, 0}, {4, 1}, DType::f64);
  expect_vimco(rows, 4);
  rows.extra = tensor({kInfinity, 0}, {2, 1}, DType::f64);  // the one has no other that could be
  expect_vimco(rows, 2);
}

TEST(ScoreEstimators, SayHowManyEvaluationsTheyTake) {
  EXPECT_EQ(Reinforce().evaluations(), 1);
  EXPECT_EQ(MovingAverageReinforce().evaluations(), 1);
  EXPECT_EQ(LearnedBaseline([] { return Tensor(); }, {}).evaluations(), 1);
  EXPECT_EQ(LeaveOneOut(5).evaluations(), 5);
  EXPECT_EQ(SelfCritical().evaluations(), 2);
  EXPECT_EQ(SoftBaseline().evaluations(), 2);
  EXPECT_EQ(Vimco(3).evaluations(), 3);
  EXPECT_EQ(Relaxed(Relaxation::gumbel).evaluations(), 1);
  EXPECT_EQ(Rebar().evaluations(), 0);  // it depends on how many choices there are
  EXPECT_EQ(Relax().evaluations(), 0);
  EXPECT_EQ(Enumeration().evaluations(), 0);
}

TEST(ScoreEstimators, RelaxAsTheirDefaultsSay) {
  const auto gradient = [](auto&& estimator) {
    Rows rows;
    Generator generator(9);
    return slopes(estimator(rows.cost(), &generator), rows);
  };
  EXPECT_EQ(gradient(Relaxed(Relaxation::gumbel)), gradient(Relaxed(Relaxation::gumbel, 1)));
  EXPECT_EQ(gradient(Rebar()), gradient(Rebar(0.5, 1)));
  const Tensor logits = zeros({3, 5}, DType::f64);
  manual_seed(9);
  const Tensor weights = RelaxedChoices(Relaxation::gumbel).choose(logits).weights();
  manual_seed(9);
  EXPECT_LT(difference(weights, softmax(gumbel_noise({3, 5}, DType::f64), -1)), 1e-14);
}

}  // namespace
}  // namespace heed
