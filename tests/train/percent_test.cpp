#include "../../train/percent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed::train {
namespace {

TEST(Percent, RoundsAndHasNoSignForNothing) {
  EXPECT_EQ(percent(0.12345), "12.3");
  EXPECT_EQ(percent(0.12358, 2), "12.36");
  EXPECT_EQ(percent(1, 0), "100");
  EXPECT_EQ(percent(0), "0.0");
  EXPECT_EQ(percent(-0.0, 0), "0");
  EXPECT_EQ(percent(-1e-9, 0), "0");
  EXPECT_EQ(percent(1 - (0.1 + 0.2 + 0.7000000000000002), 2), "0.00");
  EXPECT_EQ(percent(-0.01), "-1.0");
}

TEST(Rounded, HasNoSignForNothing) {
  EXPECT_EQ(rounded(-0.004, 2), "0.00");
  EXPECT_EQ(rounded(-0.006, 2), "-0.01");
  EXPECT_EQ(rounded(-0.0, 0), "0");
  EXPECT_EQ(rounded(-10, 1), "-10.0");
  EXPECT_EQ(rounded(2.5, 3), "2.500");
  EXPECT_EQ(rounded(-std::numeric_limits<double>::infinity(), 1), "-inf");
  EXPECT_EQ(rounded(std::copysign(std::nan(""), -1.0), 1), "nan");
}

}  // namespace
}  // namespace heed::train
