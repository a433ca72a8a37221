#include "../../optim/plateau.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../../optim/sgd.h"
#include "../support/throws.h"

namespace heed {
namespace {

using optim::ReduceLROnPlateau;
using testing::ElementsAre;

struct Plateau : testing::Test {
  Tensor p = ones({2}).set_requires_grad();
  optim::SGD sgd{{p}, {.lr = 0.5}};

  std::vector<double> rates(ReduceLROnPlateau& schedule, const std::vector<double>& values) {
    std::vector<double> out;
    for (const double value : values) {
      schedule.step(value);
      out.push_back(sgd.lr());
    }
    return out;
  }
};

TEST_F(Plateau, LowersWhenPatienceEnds) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 1});
  EXPECT_THAT(rates(schedule, {3, 2, 2, 2, 1.9, 1.9, 1.9}),
              ElementsAre(0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125));
  EXPECT_EQ(schedule.best(), 1.9);
}

TEST_F(Plateau, TakesPyTorchsWords) {
  ReduceLROnPlateau schedule(sgd, "max", 0.5, 0);
  schedule.step(3);
  EXPECT_EQ(schedule.best(), 3);
  schedule.step(2);
  EXPECT_EQ(sgd.lr(), 0.25);
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: mode is \"min\" or \"max\", not \"least\"",
               ReduceLROnPlateau(sgd, "least"));
}

TEST_F(Plateau, PatienceBeginsAnewWhereItEnded) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 1});
  EXPECT_THAT(rates(schedule, {2, 2, 2, 2, 2, 2}), ElementsAre(0.5, 0.5, 0.25, 0.25, 0.125, 0.125));
}

TEST_F(Plateau, WaitsOutTheCooldown) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 0, .cooldown = 2});
  EXPECT_THAT(rates(schedule, {1, 1, 1, 1, 1}), ElementsAre(0.5, 0.25, 0.25, 0.25, 0.125));
}

TEST_F(Plateau, ThresholdsAreRelativeOrAbsolute) {
  ReduceLROnPlateau relative(sgd, {.factor = 0.5, .patience = 0, .threshold = 0.1});
  EXPECT_THAT(rates(relative, {10, 8.9, 8.5}), ElementsAre(0.5, 0.5, 0.25));
  sgd.set_lr(0.5);
  ReduceLROnPlateau absolute(
      sgd, {.maximize = true, .factor = 0.5, .patience = 0, .threshold = 1, .absolute = true});
  EXPECT_THAT(rates(absolute, {1, 2.5, 3}), ElementsAre(0.5, 0.5, 0.25));
  sgd.set_lr(0.5);
  ReduceLROnPlateau largest(sgd,
                            {.maximize = true, .factor = 0.5, .patience = 0, .threshold = 0.5});
  EXPECT_THAT(rates(largest, {1, 1.6, 2}), ElementsAre(0.5, 0.5, 0.25));
}

TEST_F(Plateau, KeepsToTheLeastRateAndTakesNaNForWorse) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.1, .patience = 0, .min_lr = 0.2});
  EXPECT_THAT(rates(schedule, {1, NAN, NAN}), ElementsAre(0.5, 0.2, 0.2));
}

TEST_F(Plateau, MakesNoChangeOfLessThanAHundredMillionth) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0, .patience = 0});
  sgd.set_lr(0.9e-8);
  EXPECT_THAT(rates(schedule, {1, 1}), ElementsAre(0.9e-8, 0.9e-8));
  sgd.set_lr(1.1e-8);
  EXPECT_THAT(rates(schedule, {1}), ElementsAre(0));
}

TEST_F(Plateau, BearsTenStepsWhereNothingIsSaid) {
  ReduceLROnPlateau schedule(sgd, {});
  rates(schedule, std::vector<double>(11, 1));
  EXPECT_EQ(sgd.lr(), 0.5);
  rates(schedule, {1});
  EXPECT_LT(sgd.lr(), 0.5);
}

TEST_F(Plateau, GoesOnFromItsState) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 2});
  rates(schedule, {1, 1, 1});
  ReduceLROnPlateau resumed(sgd, {.factor = 0.5, .patience = 2});
  resumed.load_state_dict(schedule.state_dict());
  EXPECT_THAT(rates(resumed, {1}), ElementsAre(0.25));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: the entries do not fit: \"best\" is undefined",
               resumed.load_state_dict({}));
}

TEST_F(Plateau, GoesOnWithinItsCooldown) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 0, .cooldown = 2});
  rates(schedule, {1, 1});  // lowered by the second
  ReduceLROnPlateau resumed(sgd, {.factor = 0.5, .patience = 0, .cooldown = 2});
  resumed.load_state_dict(schedule.state_dict());
  EXPECT_THAT(rates(resumed, {1, 1, 1}), ElementsAre(0.25, 0.25, 0.125));
}

TEST_F(Plateau, WhatIsJustAtTheThresholdIsNoImprovement) {
  const optim::PlateauOptions plain{.factor = 0.5, .patience = 0, .threshold = 0.5};
  for (const bool maximize : {false, true}) {
    for (const bool absolute : {false, true}) {
      optim::PlateauOptions options = plain;
      options.maximize = maximize;
      options.absolute = absolute;
      sgd.set_lr(0.5);
      ReduceLROnPlateau schedule(sgd, options);
      const double edge = maximize ? (absolute ? 2.5 : 3) : (absolute ? 1.5 : 1);
      const double beyond = edge + (maximize ? 0.01 : -0.01);
      EXPECT_THAT(rates(schedule, {2, edge, beyond}), ElementsAre(0.5, 0.25, 0.25))
          << maximize << absolute;
      EXPECT_EQ(schedule.best(), beyond);
    }
  }
}

TEST_F(Plateau, AChangeOfJustEpsIsNotMade) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 0, .eps = 0.25});
  EXPECT_THAT(rates(schedule, {1, 1}), ElementsAre(0.5, 0.5));
}

TEST_F(Plateau, ItsStateSaysWhereItIs) {
  ReduceLROnPlateau schedule(sgd, {.factor = 0.5, .patience = 1, .cooldown = 3});
  EXPECT_EQ(schedule.best(), INFINITY);
  rates(schedule, {4, 3, 3, 3, 3});
  const auto state = [](const ReduceLROnPlateau& of) {
    std::vector<double> out;
    for (const auto& [name, array] : of.state_dict()) out.push_back(array.item());
    return out;
  };
  EXPECT_THAT(state(schedule), ElementsAre(3, 0, 2, 5));
  rates(schedule, {2, 2, 2});
  EXPECT_THAT(state(schedule), ElementsAre(2, 1, 0, 8));
  ReduceLROnPlateau resumed(sgd, {});
  resumed.load_state_dict(schedule.state_dict());
  EXPECT_THAT(state(resumed), ElementsAre(2, 1, 0, 8));
}

TEST_F(Plateau, RefusesAStateThatDoesNotFit) {
  ReduceLROnPlateau schedule(sgd, {});
  const auto good = schedule.state_dict();
  const auto refused = [&](std::size_t which, const Array& entry, const std::string& text) {
    auto entries = good;
    entries[which].second = entry;
    EXPECT_ERROR(ValueError, "ReduceLROnPlateau: the entries do not fit: " + text,
                 schedule.load_state_dict(entries));
  };
  refused(0, Array::zeros({}, DType::f32), "\"best\" is f32[]");
  refused(0, Array::zeros({1}, DType::f64), "\"best\" is f64[1]");
  refused(1, Array(), "\"num_bad_epochs\" is undefined");
  refused(2, Array::full({}, -1, DType::i64), "\"cooldown_counter\" is i64[]");
  refused(3, Array::zeros({}, DType::f64), "\"last_epoch\" is f64[]");
  auto more = good;
  more.push_back({"more", Array::zeros({}, DType::f64)});
  EXPECT_THROW(schedule.load_state_dict(more), ValueError);
  EXPECT_NO_THROW(schedule.load_state_dict(good));
}

TEST_F(Plateau, ChecksItsOptions) {
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: factor 1 is not in [0, 1)",
               ReduceLROnPlateau(sgd, {.factor = 1}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: patience -1 must be finite and not negative",
               ReduceLROnPlateau(sgd, {.patience = -1}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: factor -0.5 is not in [0, 1)",
               ReduceLROnPlateau(sgd, {.factor = -0.5}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: threshold nan must be finite and not negative",
               ReduceLROnPlateau(sgd, {.threshold = NAN}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: cooldown -1 must be finite and not negative",
               ReduceLROnPlateau(sgd, {.cooldown = -1}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: min_lr -1 must be finite and not negative",
               ReduceLROnPlateau(sgd, {.min_lr = -1}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: eps inf must be finite and not negative",
               ReduceLROnPlateau(sgd, {.eps = INFINITY}));
}

}  // namespace
}  // namespace heed
