#include "../../train/fit_options.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

TEST(FitOptions, AreThoseOfTheRun) {
  const FitOptions fit{.out = "there",
                       .epochs = 7,
                       .batch = 5,
                       .clip = 3,
                       .patience = 17,
                       .ema = 0.75,
                       .seed = 11,
                       .stop_after = 13,
                       .resume = true};
  const RunOptions run = fit.run({{"accuracy"}, lowest("loss")}, "17 pairs");
  EXPECT_EQ(run.out, "there");
  EXPECT_EQ(run.epochs, 7);
  EXPECT_EQ(run.clip, 3);
  EXPECT_EQ(run.patience, 17);
  EXPECT_EQ(run.ema, 0.75);
  EXPECT_EQ(run.stop_after, 13);
  EXPECT_TRUE(run.resume);
  EXPECT_EQ(run.setting, "17 pairs, --batch 5, --seed 11");
  ASSERT_EQ(run.keep.size(), 2U);
  EXPECT_EQ(run.keep[1].figure, "loss");
  EXPECT_EQ(run.steps, 0);
}

TEST(FitOptions, AreWrittenReadAndChecked) {
  FitOptions fit{.epochs = 3, .batch = 2, .lr = 0.5, .weight_decay = 0, .clip = 9, .patience = 5};
  io::Config config;
  io::write_fields(config, fit);
  const auto read = io::read_fields<FitOptions>(config);
  EXPECT_EQ(read.epochs, 3);
  EXPECT_EQ(read.batch, 2);
  EXPECT_EQ(read.lr, 0.5);
  EXPECT_EQ(read.weight_decay, 0);
  EXPECT_EQ(read.clip, 9);
  EXPECT_EQ(read.patience, 5);
  fit.lr = 0;
  EXPECT_ERROR_WITH(ValueError, "lr 0 must be in", io::check_fields(fit));
  EXPECT_ERROR_WITH(ValueError, "lr 0 must be in", io::checked_fields(fit));
  fit.lr = 1;
  EXPECT_EQ(&io::checked_fields(fit), &fit);
}

}  // namespace
}  // namespace heed::train
