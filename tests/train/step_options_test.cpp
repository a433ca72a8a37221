#include "../../train/step_options.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

TEST(StepOptions, AreThoseOfTheRun) {
  const StepOptions fit{.out = "there",
                        .steps = 19,
                        .batch = 5,
                        .clip = 3,
                        .interval = 7,
                        .seed = 11,
                        .stop_after = 13,
                        .resume = true};
  const RunOptions run = fit.run({{"exact"}, lowest("loss")}, "17 scenes");
  EXPECT_EQ(run.out, "there");
  EXPECT_EQ(run.steps, 19);
  EXPECT_EQ(run.every, 7);
  EXPECT_EQ(run.clip, 3);
  EXPECT_EQ(run.stop_after, 13);
  EXPECT_TRUE(run.resume);
  EXPECT_EQ(run.setting, "17 scenes, --batch 5, --seed 11");
  ASSERT_EQ(run.keep.size(), 2U);
  EXPECT_EQ(run.keep[1].figure, "loss");
  EXPECT_EQ(run.epochs, 0);
  EXPECT_EQ(run.patience, 0);
}

TEST(StepOptions, AreWrittenReadAndChecked) {
  StepOptions fit{.steps = 3, .batch = 2, .lr = 0.5, .warm_up = 11, .clip = 9, .interval = 5};
  io::Config config;
  io::write_fields(config, fit);
  const auto read = io::read_fields<StepOptions>(config);
  EXPECT_EQ(read.steps, 3);
  EXPECT_EQ(read.batch, 2);
  EXPECT_EQ(read.lr, 0.5);
  EXPECT_EQ(read.warm_up, 11);
  EXPECT_EQ(read.clip, 9);
  EXPECT_EQ(read.interval, 5);
  fit.interval = 0;
  EXPECT_ERROR_WITH(ValueError, "interval 0 must be in", io::check_fields(fit));
}

}  // namespace
}  // namespace heed::train
