#include "../../train/percent.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed::train
