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

TEST_F(Plateau, ChecksItsOptions) {
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: factor 1 is not in [0, 1)",
               ReduceLROnPlateau(sgd, {.factor = 1}));
  EXPECT_ERROR(ValueError, "ReduceLROnPlateau: patience -1 must be finite and not negative",
               ReduceLROnPlateau(sgd, {.patience = -1}));
}

}  // namespace
}  // namespace heed
