#include "../../train/early_stopping.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"

namespace heed::train {
namespace {

TEST(EarlyStopping, StopsAfterItsPatience) {
  EarlyStopping stopping(2);
  EXPECT_TRUE(std::isnan(stopping.best()));
  EXPECT_TRUE(stopping.update(0.5));
  EXPECT_FALSE(stopping.update(0.5));
  EXPECT_FALSE(stopping.should_stop());
  EXPECT_TRUE(stopping.update(0.7));
  EXPECT_FALSE(stopping.update(0.6));
  EXPECT_FALSE(stopping.should_stop());
  EXPECT_FALSE(stopping.update(0.65));
  EXPECT_TRUE(stopping.should_stop());
  EXPECT_EQ(stopping.best(), 0.7);
  EXPECT_EQ(stopping.best_round(), 3);
}

TEST(EarlyStopping, LowerCanBeBetter) {
  EarlyStopping stopping(1, Better::lower, 0.125);
  EXPECT_TRUE(stopping.update(2.0));
  EXPECT_TRUE(stopping.update(1.0));
  EXPECT_FALSE(stopping.update(0.875));  // a gain of exactly 0.125 is none
  EXPECT_TRUE(stopping.should_stop());
  EXPECT_EQ(stopping.best(), 1.0);
}

TEST(EarlyStopping, NanIsNeverBest) {
  EarlyStopping stopping(3);
  EXPECT_FALSE(stopping.update(NAN));
  EXPECT_TRUE(stopping.update(-INFINITY));
  EXPECT_FALSE(stopping.update(NAN));
  EXPECT_TRUE(stopping.update(0.1));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(stopping.update(NAN));
  EXPECT_TRUE(stopping.should_stop());
  EXPECT_EQ(stopping.best(), 0.1);
}

TEST(EarlyStopping, ChecksItsArguments) {
  EXPECT_THROW(EarlyStopping(0), ValueError);
  EXPECT_THROW(EarlyStopping(1, Better::higher, -1.0), ValueError);
  EXPECT_THROW(EarlyStopping(1, Better::higher, NAN), ValueError);
}

}  // namespace
}  // namespace heed::train
