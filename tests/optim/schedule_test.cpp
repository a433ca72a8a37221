#include "../../optim/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "../../core/error.h"
#include "../../optim/sgd.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::SGD;
using testing::DoubleNear;
using testing::Pointwise;

struct Schedules : testing::Test {
  Tensor p = ones({2}).set_requires_grad();
  Tensor q = ones({2}).set_requires_grad();
  SGD sgd{std::vector<optim::ParameterGroup<optim::SGDOptions>>{
      {.parameters = {p}, .options = {.lr = 0.8}}, {.parameters = {q}, .options = {.lr = 0.4}}}};

  // The first group's rates from now on; the second's are half of them.
  std::vector<double> rates(optim::Schedule& schedule, int count) {
    std::vector<double> out;
    for (int i = 0; i < count; ++i) {
      out.push_back(sgd.lr(0));
      EXPECT_NEAR(sgd.lr(1), sgd.lr(0) / 2, 1e-15);
      schedule.step();
    }
    return out;
  }
};

TEST_F(Schedules, StepLR) {
  optim::StepLR schedule(sgd, 2, 0.5);
  EXPECT_THAT(rates(schedule, 6),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.8, 0.8, 0.4, 0.4, 0.2, 0.2}));
  EXPECT_EQ(schedule.steps(), 6);
}

TEST_F(Schedules, ExponentialLR) {
  optim::ExponentialLR schedule(sgd, 0.5);
  EXPECT_THAT(rates(schedule, 4),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.8, 0.4, 0.2, 0.1}));
}

TEST_F(Schedules, WarmUpAndCosineStaysAtItsFloor) {
  optim::Schedule schedule(sgd, optim::rate::warm_up_and_cosine(5, 1, 0.25));
  const double half = std::sqrt(0.5);
  EXPECT_THAT(rates(schedule, 8),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.4, 0.8, 0.5 + 0.3 * half, 0.5,
                                                               0.5 - 0.3 * half, 0.2, 0.2, 0.2}));
}

TEST_F(Schedules, CosineAnnealingLR) {
  optim::CosineAnnealingLR schedule(sgd, 4, 0);
  const double half = std::sqrt(0.5);
  EXPECT_THAT(
      rates(schedule, 6),
      Pointwise(DoubleNear(1e-15), std::vector<double>{0.8, 0.4 * (1 + half), 0.4, 0.4 * (1 - half),
                                                       0, 0.4 * (1 - half)}));
}

TEST_F(Schedules, CosineAnnealingLREndsAtItsMinimum) {
  optim::CosineAnnealingLR schedule(sgd, 2, 0.1);
  schedule.step();
  EXPECT_NEAR(sgd.lr(0), 0.45, 1e-15);
  schedule.step();
  EXPECT_NEAR(sgd.lr(0), 0.1, 1e-15);
  EXPECT_NEAR(sgd.lr(1), 0.1, 1e-15);
}

TEST_F(Schedules, LinearLRWarmsUp) {
  optim::LinearLR schedule(sgd, 0.25, 1, 3);
  EXPECT_THAT(rates(schedule, 5),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.2, 0.4, 0.6, 0.8, 0.8}));
}

TEST_F(Schedules, LambdaLR) {
  optim::LambdaLR schedule(sgd, [](Index step) { return 1 / static_cast<double>(step + 1); });
  EXPECT_THAT(rates(schedule, 3),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.8, 0.4, 0.8 / 3}));
}

TEST_F(Schedules, MultiStepLR) {
  optim::MultiStepLR schedule(sgd, {1, 3, 3}, 0.5);
  EXPECT_THAT(rates(schedule, 5),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.8, 0.4, 0.4, 0.1, 0.1}));
}

TEST_F(Schedules, ConstantLR) {
  optim::ConstantLR schedule(sgd, 0.25, 2);
  EXPECT_THAT(rates(schedule, 4),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.2, 0.2, 0.8, 0.8}));
}

TEST_F(Schedules, NoamLR) {
  optim::NoamLR schedule(sgd, 16, 4);
  const double top = 0.8 / 4 / 2;  // lr / sqrt(width) / sqrt(warm_up)
  EXPECT_THAT(rates(schedule, 6),
              Pointwise(DoubleNear(1e-15),
                        std::vector<double>{top / 4, top / 2, top * 3 / 4, top,
                                            0.2 / std::sqrt(5.0), 0.2 / std::sqrt(6.0)}));
}

// A walk as PyTorch's OneCycleLR makes it.
std::vector<double> one_cycle(const std::vector<std::array<double, 3>>& phases, int count,
                              bool linear) {
  std::vector<double> out;
  for (int t = 0; t < count; ++t) {
    double start = 0;
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const auto [end, from, to] = phases[i];
      if (t <= end || i + 1 == phases.size()) {
        const double way = (t - start) / (end - start);
        out.push_back(linear ? (to - from) * way + from
                             : to + (from - to) / 2 * (1 + std::cos(std::acos(-1.0) * way)));
        break;
      }
      start = end;
    }
  }
  return out;
}

TEST_F(Schedules, OneCycleLR) {
  for (const bool linear : {false, true}) {
    for (const bool three : {false, true}) {
      optim::OneCycleLR schedule(sgd, {.max_lr = 2,
                                       .total_steps = 11,
                                       .div_factor = 4,
                                       .final_div_factor = 10,
                                       .linear = linear,
                                       .three_phase = three});
      const auto expected =
          three ? one_cycle({{2.3, 0.5, 2}, {4.6, 2, 0.5}, {10, 0.5, 0.05}}, 11, linear)
                : one_cycle({{2.3, 0.5, 2}, {10, 2, 0.05}}, 11, linear);
      std::vector<double> found;
      for (int t = 0; t < 11; ++t, schedule.step()) {
        found.push_back(sgd.lr(0));
        EXPECT_EQ(sgd.lr(1), sgd.lr(0));
      }
      EXPECT_THAT(found, Pointwise(DoubleNear(1e-14), expected));
      EXPECT_NEAR(sgd.lr(), 0.05, 1e-15);  // and stays
    }
  }
}

TEST_F(Schedules, ChainedFactorsMultiply) {
  optim::ChainedScheduler schedule(sgd,
                                   {optim::rate::constant(0.1, 2), optim::rate::exponential(0.5)});
  EXPECT_THAT(rates(schedule, 4),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.08, 0.04, 0.2, 0.1}));
}

TEST_F(Schedules, SequentialOnesTakeOverAtTheirMilestones) {
  optim::SequentialLR schedule(
      sgd,
      {optim::rate::linear(0.25, 1, 3), optim::rate::exponential(0.5), optim::rate::constant(0)},
      {3, 5});
  EXPECT_THAT(rates(schedule, 7),
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.2, 0.4, 0.6, 0.8, 0.4, 0, 0}));
}

TEST_F(Schedules, StandWherePyTorchHasThem) {
  optim::lr_scheduler::StepLR schedule(sgd, 1, 0.5);
  schedule.step();
  EXPECT_EQ(sgd.lr(), 0.4);
}

TEST_F(Schedules, GoOnFromTheirState) {
  optim::CosineAnnealingLR schedule(sgd, 7);
  for (int i = 0; i < 3; ++i) schedule.step();
  const auto state = schedule.state_dict();
  schedule.step();
  const double expected = sgd.lr();
  EXPECT_THAT(schedule.last_lr(), testing::ElementsAre(expected, sgd.lr(1)));
  sgd.set_lr(5);
  optim::CosineAnnealingLR resumed(sgd, 7);
  resumed.load_state_dict(state);
  EXPECT_EQ(resumed.steps(), 3);
  EXPECT_EQ(sgd.lr(), resumed.rate()(0.8, 3));
  EXPECT_EQ(sgd.lr(1), resumed.rate()(0.4, 3));
  resumed.step();
  EXPECT_EQ(sgd.lr(), expected);
  EXPECT_ERROR(ValueError, "schedule: entries steps i64[], base_lrs undefined do not fit 2 groups",
               resumed.load_state_dict({state[0]}));
}

TEST_F(Schedules, RefuseAStateThatDoesNotFit) {
  optim::CosineAnnealingLR schedule(sgd, 7);
  const auto good = schedule.state_dict();
  const auto refused = [&](std::size_t which, const Array& entry, const std::string& text) {
    auto entries = good;
    entries[which].second = entry;
    EXPECT_ERROR(ValueError, "schedule: entries " + text + " do not fit 2 groups",
                 schedule.load_state_dict(entries));
  };
  refused(0, Array(), "steps undefined, base_lrs f64[2]");
  refused(0, Array::zeros({}, DType::f64), "steps f64[], base_lrs f64[2]");
  refused(0, Array::zeros({3}, DType::i64), "steps i64[3], base_lrs f64[2]");
  refused(0, Array::full({}, -1, DType::i64), "steps i64[], base_lrs f64[2]");
  refused(1, Array::zeros({2}, DType::f32), "steps i64[], base_lrs f32[2]");
  refused(1, Array::zeros({3}, DType::f64), "steps i64[], base_lrs f64[3]");
  auto more = good;
  more.push_back({"more", good[0].second});
  EXPECT_THROW(schedule.load_state_dict(more), ValueError);
  EXPECT_NO_THROW(schedule.load_state_dict(good));
}

TEST_F(Schedules, OneCycleLRMayRiseAtOnceOrToTheEnd) {
  const auto rate = [](double share, Index t) {
    return optim::rate::one_cycle({.max_lr = 2,
                                   .total_steps = 10,
                                   .pct_start = share,
                                   .div_factor = 4,
                                   .final_div_factor = 5,
                                   .linear = true})(0.7, t);
  };
  EXPECT_NEAR(rate(0, 0), 2 - 1.9 / 10, 1e-15);
  EXPECT_NEAR(rate(0, 9), 0.1, 1e-15);
  EXPECT_EQ(rate(0.1, 0), 2) << "a rise of no steps";
  EXPECT_NEAR(rate(0.1, 3), 2 - 1.9 / 3, 1e-15);
  EXPECT_NEAR(rate(1, 3), 1, 1e-15);
  EXPECT_NEAR(rate(1, 9), 2, 1e-15);
  EXPECT_NEAR(rate(1, 10), 0.1, 1e-15);
}

TEST_F(Schedules, WarmUpAndCosineMayBeEither) {
  const auto fall = optim::rate::warm_up_and_cosine(4, 0, 0.5);
  for (Index t = 0; t < 7; ++t) {
    const double way = std::acos(-1.0) * static_cast<double>(std::min<Index>(t, 4)) / 4;
    EXPECT_NEAR(fall(0.8, t), 0.4 + 0.2 * (1 + std::cos(way)), 1e-15) << t;
  }
  const auto rise = optim::rate::warm_up_and_cosine(3, 3, 0.5);
  const auto longer = optim::rate::warm_up_and_cosine(2, 3, 0.5);
  for (Index t = 0; t < 3; ++t) {
    EXPECT_NEAR(rise(0.8, t), 0.2 * static_cast<double>(t + 1), 1e-15) << t;
    EXPECT_NEAR(longer(0.8, t), 0.2 * static_cast<double>(t + 1), 1e-15) << t;
  }
  EXPECT_NEAR(rise(0.8, 3), 0.8, 1e-15);
  EXPECT_NEAR(rise(0.8, 4), 0.4, 1e-15);
  EXPECT_NEAR(longer(0.8, 4), 0.4, 1e-15);
}

TEST_F(Schedules, CheckTheirLengths) {
  EXPECT_ERROR(ValueError, "StepLR: step_size 0 must be positive", optim::StepLR(sgd, 0));
  EXPECT_ERROR(ValueError, "CosineAnnealingLR: t_max -1 must be positive",
               optim::CosineAnnealingLR(sgd, -1));
  EXPECT_ERROR(ValueError, "ConstantLR: total_iters 0 must be positive",
               optim::ConstantLR(sgd, 0.5, 0));
  EXPECT_ERROR(ValueError, "LinearLR: total_iters 0 must be positive",
               optim::LinearLR(sgd, 0.5, 1, 0));
  EXPECT_ERROR(ValueError, "MultiStepLR: milestones must ascend from 0 or more, not 2 after 3",
               optim::MultiStepLR(sgd, {3, 2}));
  EXPECT_ERROR(ValueError, "NoamLR: width 0 must be positive", optim::NoamLR(sgd, 0, 4));
  EXPECT_ERROR(ValueError, "OneCycleLR: pct_start 2 is not in [0, 1]",
               optim::OneCycleLR(sgd, {.max_lr = 1, .total_steps = 5, .pct_start = 2}));
  EXPECT_ERROR(ValueError, "OneCycleLR: final_div_factor 0 must be finite and positive",
               optim::OneCycleLR(sgd, {.max_lr = 1, .total_steps = 5, .final_div_factor = 0}));
  EXPECT_ERROR(ValueError, "OneCycleLR: max_lr 0 must be finite and positive",
               optim::OneCycleLR(sgd, {.max_lr = 0, .total_steps = 5}));
  EXPECT_ERROR(ValueError, "SequentialLR: 1 rates want one milestone less than that, not 1",
               optim::SequentialLR(sgd, {optim::rate::exponential(1)}, {3}));
  EXPECT_ERROR(ValueError, "SequentialLR: 1 rates want one milestone less than that, not 2",
               optim::SequentialLR(sgd, {optim::rate::exponential(1)}, {3, 4}));
  EXPECT_ERROR(ValueError, "MultiStepLR: milestones must ascend from 0 or more, not -1 after 0",
               optim::MultiStepLR(sgd, {-1, 2}));
  EXPECT_ERROR(ValueError, "NoamLR: warm_up 0 must be positive", optim::NoamLR(sgd, 4, 0));
  EXPECT_ERROR(ValueError, "SequentialLR: milestones must ascend from 0 or more, not 2 after 3",
               optim::SequentialLR(sgd,
                                   {optim::rate::exponential(1), optim::rate::exponential(1),
                                    optim::rate::exponential(1)},
                                   {3, 2}));
  EXPECT_ERROR(ValueError, "warm_up_and_cosine: steps 0 must be positive",
               optim::rate::warm_up_and_cosine(0, 1));
  EXPECT_ERROR(ValueError, "warm_up_and_cosine: warm_up -1 is negative",
               optim::rate::warm_up_and_cosine(5, -1));
  EXPECT_ERROR(ValueError, "OneCycleLR: pct_start -0.5 is not in [0, 1]",
               optim::OneCycleLR(sgd, {.max_lr = 1, .total_steps = 5, .pct_start = -0.5}));
  EXPECT_ERROR(ValueError, "OneCycleLR: total_steps 0 must be positive",
               optim::OneCycleLR(sgd, {.max_lr = 1, .total_steps = 0}));
  EXPECT_ERROR(ValueError, "OneCycleLR: div_factor inf must be finite and positive",
               optim::OneCycleLR(sgd, {.max_lr = 1, .total_steps = 5, .div_factor = INFINITY}));
  EXPECT_EQ(sgd.lr(), 0.8);
  optim::MultiStepLR at_once(sgd, {0}, 0.5);
  EXPECT_EQ(sgd.lr(), 0.4);
}

TEST_F(Schedules, ARateThatIsNoneChangesNothing) {
  optim::Schedule schedule(sgd, [](double base, Index step) {
    return step == 2 && base < 0.5 ? NAN : base / static_cast<double>(step + 1);
  });
  schedule.step();
  EXPECT_ERROR(ValueError, "SGD: lr nan must be finite and not negative", schedule.step());
  EXPECT_EQ(schedule.steps(), 1);
  const auto load = [&](Index steps, const std::vector<double>& base) {
    schedule.load_state_dict({{"steps", Array::from(std::vector<std::int64_t>{steps}, {})},
                              {"base_lrs", Array::from(base)}});
  };
  EXPECT_THROW(load(3, {1, NAN}), ValueError);
  EXPECT_THROW(load(3, {1, -1}), ValueError);
  EXPECT_THROW(load(2, {1, 0.25}), ValueError);
  EXPECT_EQ(sgd.lr(0), 0.4);
  EXPECT_EQ(sgd.lr(1), 0.2);
  EXPECT_EQ(schedule.steps(), 1);
  EXPECT_EQ(schedule.last_lr(), (std::vector<double>{0.4, 0.2}));
  load(2, {1, 0.75});
  EXPECT_EQ(sgd.lr(1), 0.25);
}

}  // namespace
}  // namespace heed
