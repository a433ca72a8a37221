#include "../../train/training.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::train {
namespace {

TEST(TrainingLine, NanIsPrintedWithoutASign) {
  const Round round{.step = 5, .epoch = 1, .seconds = 2, .figures = {{"loss", -std::nan("")}}};
  EXPECT_EQ(to_line(round, "step"), "step 5  loss nan  2.0 s");
}

TEST(TrainingLine, NothingIsPrintedWithoutASign) {
  const Round round{.step = 5,
                    .epoch = 1,
                    .seconds = 2,
                    .figures = {{.name = "gain", .value = -0.004, .digits = 2}, {"loss", -0.0}}};
  EXPECT_EQ(to_line(round, "epoch"), "epoch 1  gain 0.00  loss 0.0000  2.0 s");
}

}  // namespace
}  // namespace heed::train
