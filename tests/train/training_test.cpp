#include "../../train/training.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::train {
namespace {

TEST(TrainingLine, NanIsPrintedWithoutASign) {
  const Round round{.step = 5, .epoch = 1, .seconds = 2, .figures = {{"loss", -std::nan("")}}};
  EXPECT_EQ(to_line(round, "step"), "step 5  loss nan  2.0 s");
}

}  // namespace
}  // namespace heed::train
