#include "../../optim/fall.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::optim {
namespace {

TEST(Fall, HasANameForEachKind) {
  EXPECT_EQ(fall_of("none"), Fall::none);
  EXPECT_EQ(fall_of("inverse-root"), Fall::inverse_root);
  EXPECT_EQ(fall_of("cosine"), Fall::cosine);
  EXPECT_ERROR(ValueError, "fall: \"free\" is none of none, inverse-root, cosine", fall_of("free"));
}

TEST(Fall, RisesInALineToTheRate) {
  for (const Fall fall : {Fall::none, Fall::inverse_root}) {
    for (Index step = 0; step < 5; ++step) {
      EXPECT_NEAR(rate_at(0.3, 5, fall, step, 0.7), 0.3 * static_cast<double>(step + 1) / 5, 1e-16);
    }
    EXPECT_EQ(rate_at(0.3, 0, fall, 0, 0), 0.3);
    EXPECT_EQ(rate_at(0.3, 1, fall, 0, 0), 0.3);
  }
}

TEST(Fall, GoesDownAsOneOverTheRoot) {
  for (const Index step : {5, 6, 19, 100}) {
    const double n = static_cast<double>(step + 1);
    EXPECT_NEAR(rate_at(0.3, 5, Fall::inverse_root, step, 0.2), 0.3 * std::sqrt(5 / n), 1e-16);
    EXPECT_NEAR(rate_at(0.3, 1, Fall::inverse_root, step, 0.2), 0.3 * std::sqrt(1 / n), 1e-16);
    EXPECT_EQ(rate_at(0.3, 5, Fall::none, step, 0.2), 0.3);
    EXPECT_EQ(rate_at(0.3, 0, Fall::inverse_root, step, 0.2), 0.3) << "from no top";
  }
}

TEST(Fall, GoesDownAsACosineToAHundredth) {
  const auto at = [](Index step, double done) { return rate_at(2, 4, Fall::cosine, step, done); };
  EXPECT_NEAR(at(10, 0), 2, 1e-15);
  EXPECT_NEAR(at(10, 0.5), 2 * 0.505, 1e-15);
  EXPECT_NEAR(at(10, 1), 0.02, 1e-15);
  EXPECT_NEAR(at(10, 0.25), 0.02 + 0.99 * (1 + std::sqrt(0.5)), 1e-15);
  EXPECT_NEAR(at(0, 0.25), at(10, 0.25) / 4, 1e-15) << "and rises at first";
}

}  // namespace
}  // namespace heed::optim
