#include "../../train/lagging.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

TEST(Lagging, OfWaitKOfEqualLengthsIsK) {
  for (const Index k : {1, 2, 3, 5}) {
    std::vector<Index> read;
    for (Index t = 0; t < 6; ++t) read.push_back(std::min<Index>(k + t, 6));
    EXPECT_DOUBLE_EQ(average_lagging(read, 6), static_cast<double>(k));
    EXPECT_DOUBLE_EQ(differentiable_average_lagging(read, 6), static_cast<double>(k));
  }
}

TEST(Lagging, OfAWholeSourceReadFirstIsItsLength) {
  EXPECT_DOUBLE_EQ(average_lagging({7, 7, 7}, 7), 7);
  EXPECT_DOUBLE_EQ(average_proportion({7, 7, 7}, 7), 1);
  // 7, then never less behind.
  EXPECT_DOUBLE_EQ(differentiable_average_lagging({7, 7, 7}, 7), 7);
}

TEST(Lagging, OfOtherLengths) {
  // gamma = 4/6: ideal words are at 0, 1.5, 3, 4.5; tau is the third.
  EXPECT_DOUBLE_EQ(average_lagging({2, 4, 6, 6}, 6), (2 + 2.5 + 3) / 3);
  EXPECT_DOUBLE_EQ(average_proportion({2, 4, 6, 6}, 6), 18.0 / 24);
  EXPECT_DOUBLE_EQ(differentiable_average_lagging({2, 4, 6, 6}, 6), (2 + 2.5 + 3 + 3) / 4);
  // By the reference's length of 3: 0, 2, 4.
  EXPECT_DOUBLE_EQ(average_lagging({2, 4, 6, 6}, 6, 3), (2.0 + 2 + 2) / 3);
  // The source's end was never read: all words count.
  EXPECT_DOUBLE_EQ(average_lagging({1, 1}, 4), (1 - 1.0) / 2);
  EXPECT_DOUBLE_EQ(differentiable_average_lagging({1, 1}, 4), 1);
}

TEST(Lagging, OfNothingIsNoNumber) {
  EXPECT_TRUE(std::isnan(average_lagging({}, 3)));
  EXPECT_TRUE(std::isnan(average_proportion({}, 3)));
  EXPECT_TRUE(std::isnan(differentiable_average_lagging({}, 3)));
}

TEST(Lagging, SaysWhatIsWrong) {
  EXPECT_ERROR(ValueError, "lagging: a source of 0 words", average_lagging({}, 0));
  EXPECT_ERROR(ValueError, "lagging: 4 words read after 2, of 3", average_lagging({2, 4}, 3));
  EXPECT_ERROR(ValueError, "lagging: 1 words read after 2, of 3", average_proportion({2, 1}, 3));
  EXPECT_ERROR(ValueError, "lagging: a target of -1 words", average_lagging({2}, 3, -1));
}

}  // namespace
}  // namespace heed::train
