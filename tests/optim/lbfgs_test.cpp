#include "../../optim/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../autograd/backward.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../../optim/line_search.h"
#include "../support/throws.h"

namespace heed::optim {
namespace {

// (1 - x)^2 + 100 (y - x^2)^2, smallest at (1, 1).
Tensor rosenbrock(const Tensor& p) {
  const Tensor x = select(p, 0, 0);
  const Tensor y = select(p, 0, 1);
  return square(1 - x) + 100 * square(y - square(x));
}

LBFGS::Loss loss_of(Tensor p) {
  return [p]() mutable {
    p.zero_grad();
    const Tensor loss = rosenbrock(p);
    loss.backward();
    return loss;
  };
}

Tensor start() { return tensor({-1.2, 1}, {2}, DType::f64).set_requires_grad(); }

TEST(LBFGS, ClimbsDownRosenbrocksValley) {
  const Tensor p = start();
  LBFGS lbfgs({p}, {.max_iter = 100, .line_search = LineSearch::strong_wolfe});
  const double first = lbfgs.step(loss_of(p));
  EXPECT_NEAR(first, rosenbrock(start()).item(), 1e-12);
  EXPECT_LT(rosenbrock(p).item(), 1e-8);
}

TEST(LBFGS, GoesOnToTheSameBitsFromItsState) {
  const Tensor p = start();
  const LBFGSOptions options{.max_iter = 3, .line_search = LineSearch::strong_wolfe};
  LBFGS whole({p}, options);
  whole.step(loss_of(p));
  const Tensor q = Tensor(p.array().clone()).set_requires_grad();
  LBFGS resumed({q}, options);
  resumed.load_state_dict(whole.state_dict());
  for (int i = 0; i < 3; ++i) {
    whole.step(loss_of(p));
    resumed.step(loss_of(q));
  }
  EXPECT_EQ(p.array().to_vector<double>(), q.array().to_vector<double>());
}

TEST(LBFGS, StateThatDoesNotFitChangesNothing) {
  const Tensor p = start();
  LBFGS lbfgs({p}, {.max_iter = 7});
  lbfgs.step(loss_of(p));
  const auto before = lbfgs.state_dict();
  auto broken = before;
  std::erase_if(broken, [](const auto& entry) { return entry.first == "lbfgs.y"; });
  EXPECT_ERROR_WITH(ValueError, "\"lbfgs.y\" is missing", lbfgs.load_state_dict(broken));
  EXPECT_EQ(lbfgs.state_dict().size(), before.size());
  const auto refuses = [&](const std::string& name, const Array& entry,
                           const std::string& message) {
    auto other = before;
    const auto place = std::find_if(other.begin(), other.end(),
                                    [&](const auto& each) { return each.first == name; });
    if (place == other.end()) {
      other.emplace_back(name, entry);
    } else {
      place->second = entry;
    }
    EXPECT_ERROR_WITH(ValueError, message, lbfgs.load_state_dict(other));
  };
  const auto entry = [&](const std::string& name) {
    return std::find_if(before.begin(), before.end(),
                        [&](const auto& e) { return e.first == name; })
        ->second;
  };
  refuses("lbfgs.iterations", Array::full({}, 0, DType::i64), "\"lbfgs.iterations\" is below 1");
  refuses("lbfgs.iterations", Array::full({}, 1, DType::f64), "\"lbfgs.iterations\" is f64[]");
  refuses("lbfgs.step", Array::full({1}, 1, DType::f64), "\"lbfgs.step\" is f64[1]");
  refuses("lbfgs.direction", Array::zeros({1}, DType::f64), "\"lbfgs.direction\" is f64[1]");
  refuses("lbfgs.other", Array::zeros({1}, DType::f64), "\"lbfgs.other\" is unexpected");
  const Array s = entry("lbfgs.s");
  refuses("lbfgs.s", Array::zeros({s.size(0) + 1, s.size(1)}, DType::f64), "\"lbfgs.s\" is f64[");
  refuses("lbfgs.s", Array::zeros({s.size(0), s.size(1) + 1}, DType::f64), "\"lbfgs.s\" is f64[");
  LBFGS shorter({p}, {.max_iter = 7, .history_size = 1});
  ASSERT_GT(s.size(0), 1);
  EXPECT_ERROR_WITH(ValueError, "of at most 1 rows", shorter.load_state_dict(before));
  lbfgs.load_state_dict(before);
  const auto after = lbfgs.state_dict();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(after[i].second.to(DType::f64).to_vector<double>() ==
                before[i].second.to(DType::f64).to_vector<double>())
        << before[i].first;
}

TEST(LBFGS, RefusesWhatMakesNoSense) {
  const Tensor p = start();
  EXPECT_THROW(LBFGS({p}, {.max_iter = 0}), ValueError);
  EXPECT_THROW(LBFGS({p}, {.history_size = 0}), ValueError);
  EXPECT_ERROR(ValueError,
               "LBFGS: max_iter 3 and history_size 5 must be positive, max_eval -2 not below -1",
               LBFGS({p}, {.max_iter = 3, .max_eval = -2, .history_size = 5}));
  EXPECT_NO_THROW(LBFGS({p}, {.max_iter = 1, .max_eval = 0, .history_size = 1}));
  EXPECT_ERROR(ValueError, "LBFGS: tolerance_grad -1 must be finite and not negative",
               LBFGS({p}, {.tolerance_grad = -1}));
  EXPECT_ERROR(ValueError, "LBFGS: tolerance_change -1 must be finite and not negative",
               LBFGS({p}, {.tolerance_change = -1}));
  LBFGS lbfgs({p}, 0.5);
  EXPECT_THROW(lbfgs.step(LBFGS::Loss()), ValueError);
  Optimizer& base = lbfgs;
  EXPECT_THROW(base.step(), GradError);
  EXPECT_THROW(lbfgs.step([]() -> Tensor { throw ValueError("as asked"); }), ValueError);
  EXPECT_EQ(p.array().to_vector<double>(), (std::vector<double>{-1.2, 1}));
}

TEST(LBFGS, LoadsTheStateOfOneStepAndAFullMemory) {
  const Tensor p = start();
  LBFGS once({p}, {.max_iter = 1}), resumed({p}, {.max_iter = 1});
  once.step(loss_of(p));
  EXPECT_NO_THROW(resumed.load_state_dict(once.state_dict()));
  LBFGS full({p}, {.lr = 1e-4, .max_iter = 5, .history_size = 2}),
      again({p}, {.lr = 1e-4, .max_iter = 5, .history_size = 2});
  full.step(loss_of(p));
  const auto state = full.state_dict();
  again.load_state_dict(state);
  ASSERT_EQ(again.state_dict().size(), state.size());
  EXPECT_EQ(again.state_dict()[6].first, "lbfgs.s");
  EXPECT_EQ(again.state_dict()[6].second.shape(), (Shape{2, 2}));
}

TEST(LBFGS, AParameterWithoutAGradientStays) {
  const Tensor p = start();
  const Tensor still = full({3}, 7, DType::f64).requires_grad_();
  const Tensor rough = full({2}, 5, DType::f32).requires_grad_();
  const auto version = p.array().version();
  LBFGS lbfgs({still, p, rough}, {.max_iter = 7, .line_search = LineSearch::strong_wolfe});
  const double first = rosenbrock(p).item();
  lbfgs.step(loss_of(p));
  EXPECT_LT(rosenbrock(p).item(), first);
  EXPECT_GT(p.array().version(), version);
  EXPECT_EQ(still.array().to_vector<double>(), std::vector<double>(3, 7));
  EXPECT_EQ(rough.array().to_vector<float>(), std::vector<float>(2, 5));
}

// The gradient of one place is as large as it may be: nobody goes on from there.
TEST(LBFGS, EndsWhereNoGradientIsLarger) {
  for (const double tolerance : {0.5, 0.49}) {
    Tensor p = full({1}, 0.25, DType::f64).requires_grad_();
    LBFGS lbfgs({p}, {.max_iter = 1, .tolerance_grad = tolerance});
    int losses = 0;
    const NoGrad none;
    lbfgs.step([&] {
      ++losses;
      p.zero_grad();
      Tensor loss = sum(square(p));
      loss.backward();
      return loss;
    });
    EXPECT_EQ(losses, 1);
    EXPECT_EQ(p.item() == 0.25, tolerance == 0.5);
  }
}

// Beyond 5 the loss is infinite or NaN, and its gradient neither.
TEST(LBFGS, ComesBackFromWhereTheLossIsNoNumber) {
  for (const double wall :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const double start : {4.5, -4.5}) {
      Tensor p = full({1}, start, DType::f64).requires_grad_();
      LBFGS lbfgs({p}, {.lr = 100, .line_search = LineSearch::strong_wolfe});
      for (int i = 0; i < 3; ++i) {
        lbfgs.step([&] {
          p.zero_grad();
          Tensor loss = sum(square(p));
          if (std::abs(p.item()) > 5) loss = loss + wall;
          loss.backward();
          return loss;
        });
      }
      EXPECT_NEAR(p.item(), 0, 1e-6) << wall << " from " << start;
    }
  }
}

TEST(StrongWolfe, HoldsWhereTheSearchEnds) {
  // f(t) = t^4 - 3 t^2 - t, from 0 with a slope of -1.
  const auto f = [](double t) { return t * t * t * t - 3 * t * t - t; };
  const auto slope = [](double t) { return 4 * t * t * t - 6 * t - 1; };
  for (const double first : {1e-3, 0.1, 1.0, 7.0, 100.0}) {
    const LinePlace found = strong_wolfe(
        [&](double t) {
          return LinePlace{t, f(t), slope(t)};
        },
        {0, 0, -1}, first, 1, 1e-9);
    EXPECT_LE(found.loss, 1e-4 * found.t * -1) << first;
    EXPECT_LE(std::abs(found.slope), 0.9) << first;
    EXPECT_EQ(found.loss, f(found.t));
  }
}

TEST(LBFGS, ParametersOfAnotherSizeChangeNothing) {
  Tensor p = start();
  LBFGS lbfgs({p}, {.max_iter = 3});
  lbfgs.step(loss_of(p));
  for (const std::vector<double>& numbers : {std::vector<double>{1, 2, 3}, {1}}) {
    p.set_array(Array::from(numbers));
    int calls = 0;
    const auto loss = [&] {
      ++calls;
      return sum(p);
    };
    EXPECT_ERROR_WITH(ShapeError, "numbers, the state is of 2", lbfgs.step(loss));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(p.array().to_vector<double>(), numbers);
  }
}

std::vector<std::vector<double>> numbers_of(const LBFGS& lbfgs) {
  std::vector<std::vector<double>> out;
  for (const auto& entry : lbfgs.state_dict()) {
    out.push_back(entry.second.to(DType::f64).to_vector<double>());
  }
  return out;
}

// At whichever call, in the first step and in the second: the next one is as if nothing had been.
TEST(LBFGS, ALossThatThrowsChangesNothing) {
  for (const LineSearch search : {LineSearch::none, LineSearch::strong_wolfe}) {
    for (const int faulty : {1, 2, 3, 5}) {
      const LBFGSOptions options{.lr = 0.01, .max_iter = 7, .line_search = search};
      const Tensor p = start(), q = start();
      LBFGS lbfgs({p}, options), undisturbed({q}, options);
      for (int step = 0; step < 2; ++step) {
        const auto from = p.array().to_vector<double>();
        const auto state = numbers_of(lbfgs);
        int calls = 0;
        const auto loss = loss_of(p);
        EXPECT_THROW(lbfgs.step([&] {
          if (++calls == faulty) throw ValueError("enough");
          return loss();
        }),
                     ValueError);
        EXPECT_EQ(p.array().to_vector<double>(), from) << step << ", " << faulty;
        EXPECT_EQ(numbers_of(lbfgs), state) << step << ", " << faulty;
        lbfgs.step(loss_of(p));
        undisturbed.step(loss_of(q));
        EXPECT_EQ(p.array().to_vector<double>(), q.array().to_vector<double>());
      }
    }
  }
}

TEST(LBFGS, TakesAsManyLossesAsCanBeCounted) {
  const Tensor p = start();
  LBFGS lbfgs({p}, {.max_iter = std::numeric_limits<Index>::max(),
                    .line_search = LineSearch::strong_wolfe});
  lbfgs.step(loss_of(p));
  EXPECT_LT(rosenbrock(p).item(), 1e-8);
}

// As in PyTorch, and in every other optimizer here, NaN is not hidden.
TEST(LBFGS, DoesNotTakeNaNForTheEnd) {
  const auto ends_in_nan = [](LineSearch search, int faulty) {  // the loss whose gradient has one
    Tensor p = tensor({3, 5}, {2}, DType::f64).set_requires_grad();
    LBFGS lbfgs({p}, {.lr = 0.01, .max_iter = 7, .line_search = search});
    int losses = 0;
    lbfgs.step([&] {
      p.zero_grad();
      Tensor loss = sum(square(p));
      loss.backward();
      const double nan = std::numeric_limits<double>::quiet_NaN();
      if (++losses == faulty) p.set_grad(tensor({nan, 0}, {2}, DType::f64));
      return loss;
    });
    return std::isnan(p.array().to_vector<double>()[0]);
  };
  EXPECT_TRUE(ends_in_nan(LineSearch::none, 1));
  EXPECT_TRUE(ends_in_nan(LineSearch::none, 2));
  EXPECT_TRUE(ends_in_nan(LineSearch::strong_wolfe, 1));
}

// |x - 1/3|, of which no slope is flat: the last place looked at need not be the best.
TEST(LBFGS, EndsAtTheBestPlaceOfALine) {
  Tensor p = full({1}, 2, DType::f64).requires_grad_();
  LBFGS lbfgs({p}, {.lr = 2.5, .max_iter = 1, .line_search = LineSearch::strong_wolfe});
  std::vector<double> losses;
  lbfgs.step([&] {
    p.zero_grad();
    Tensor loss = sum(abs(p - 1.0 / 3));
    loss.backward();
    losses.push_back(loss.item());
    return loss;
  });
  EXPECT_GT(losses.size(), 5U);
  EXPECT_EQ(std::abs(p.item() - 1.0 / 3), *std::min_element(losses.begin(), losses.end()));
  EXPECT_NE(losses.back(), *std::min_element(losses.begin(), losses.end()));
}

// Whoever has kept the numbers of the place that is left sees that they are others.
TEST(LBFGS, ALossThatThrowsIsGoneBackFromAloud) {
  const Tensor p = start();
  LBFGS lbfgs({p}, {.lr = 0.01, .max_iter = 7});
  std::uint32_t there = 0;
  EXPECT_THROW(lbfgs.step([&]() -> Tensor {
    there = p.array().version();
    if (p.array().to_vector<double>()[0] != -1.2) throw ValueError("enough");
    return loss_of(p)();
  }),
               ValueError);
  EXPECT_GT(p.array().version(), there);
}

// The user's tolerance of changes ends the steps, not the search along a line.
TEST(LBFGS, SearchesAsFineWhateverTheTolerance) {
  const auto losses_of = [](double tolerance) {
    Tensor p = tensor({0.5}, {1}, DType::f64).set_requires_grad();
    LBFGS lbfgs({p}, {.lr = 3,
                      .max_iter = 1,
                      .tolerance_change = tolerance,
                      .line_search = LineSearch::strong_wolfe});
    std::vector<double> losses;
    lbfgs.step([&] {
      p.zero_grad();
      Tensor loss = sum(square(square(p)) + square(p));
      loss.backward();
      losses.push_back(loss.item());
      return loss;
    });
    losses.push_back(p.item());
    return losses;
  };
  EXPECT_EQ(losses_of(1.4), losses_of(1e-9));
  EXPECT_LT(std::abs(losses_of(1.4).back()), 0.5);
}

}  // namespace
}  // namespace heed::optim
