#include "../../train/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

TEST(Confusion, FiguresOfASmallCase) {
  Confusion confusion(4);
  const Index pairs[][3] = {{0, 0, 5}, {0, 1, 2}, {1, 1, 3}, {1, 0, 1}, {2, 1, 2}};
  for (const auto& [truth, prediction, times] : pairs) {
    for (Index i = 0; i < times; ++i) confusion.add(truth, prediction);
  }
  EXPECT_EQ(confusion.total(), 13);
  EXPECT_EQ(confusion.count(0, 1), 2);
  EXPECT_EQ(confusion.count(1, 0), 1);
  EXPECT_DOUBLE_EQ(confusion.accuracy(), 8.0 / 13);
  EXPECT_DOUBLE_EQ(confusion.precision(0), 5.0 / 6);
  EXPECT_DOUBLE_EQ(confusion.recall(0), 5.0 / 7);
  EXPECT_DOUBLE_EQ(confusion.f1(0), 10.0 / 13);
  EXPECT_DOUBLE_EQ(confusion.f1(1), 6.0 / 11);
  EXPECT_EQ(confusion.f1(2), 0.0);
  // Class 3 never occurs and does not count.
  EXPECT_DOUBLE_EQ(confusion.macro_f1(), (10.0 / 13 + 6.0 / 11) / 3);
}

TEST(Confusion, OfNothingIsZero) {
  const Confusion confusion(3);
  EXPECT_EQ(confusion.accuracy(), 0.0);
  EXPECT_EQ(confusion.precision(2), 0.0);
  EXPECT_EQ(confusion.macro_f1(), 0.0);
}

TEST(Confusion, ChecksItsClasses) {
  Confusion confusion(3);
  EXPECT_ERROR(IndexError, "confusion: class 3 is out of range for 3 classes", confusion.add(3, 0));
  EXPECT_ERROR(IndexError, "confusion: class -1 is out of range for 3 classes",
               confusion.add(0, -1));
  EXPECT_THROW(static_cast<void>(confusion.f1(5)), IndexError);
  EXPECT_EQ(confusion.total(), 0);
  EXPECT_ERROR(ValueError, "confusion: 0 classes; needs at least 1", Confusion{0});
}

TEST(RunningMean, WeighsItsValues) {
  RunningMean mean;
  EXPECT_EQ(mean.mean(), 0.0);
  mean.add(2.0, 3.0);
  mean.add(7.0, 2.0);
  mean.add(100.0, 0.0);
  EXPECT_DOUBLE_EQ(mean.mean(), 4.0);
  EXPECT_DOUBLE_EQ(mean.weight(), 5.0);
  EXPECT_THROW(mean.add(1.0, -1.0), ValueError);
  for (const double weight : {HUGE_VAL, std::nan("")}) {
    EXPECT_ERROR_WITH(ValueError, "must be finite and not negative", mean.add(1.0, weight));
  }
  EXPECT_DOUBLE_EQ(mean.mean(), 4.0);
}

}  // namespace
}  // namespace heed::train
