#include "../../train/attended_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::train {
namespace {

TEST(AttendedText, SharesAreRelativeToTheLargest) {
  const AttendedText text = {{0.75, {{"a", 0.5}, {"b", 0.25}}, false},
                             {0.25, {{"c", 1.0}, {"d", NAN}, {"e", -1.0}}, false}};
  const double largest = largest_share(text);
  EXPECT_DOUBLE_EQ(largest, 0.375);
  EXPECT_DOUBLE_EQ(shade_of(text[0], text[0].words[0], largest), 1.0);
  EXPECT_DOUBLE_EQ(shade_of(text[0], text[0].words[1], largest), 0.5);
  EXPECT_DOUBLE_EQ(shade_of(text[1], text[1].words[0], largest), 2.0 / 3);
  EXPECT_EQ(shade_of(text[1], text[1].words[1], largest), 0.0);
  EXPECT_EQ(shade_of(text[1], text[1].words[2], largest), 0.0);
  EXPECT_EQ(largest_share({}), 0.0);
  EXPECT_EQ(shade_of(text[0], text[0].words[0], 0.0), 0.0);
}

TEST(AttendedText, BlanksStandWhereAReaderWantsThem) {
  EXPECT_TRUE(space_between("two", "words"));
  EXPECT_FALSE(space_between("end", "."));
  EXPECT_FALSE(space_between("(", "open"));
  EXPECT_TRUE(space_between("open", "("));
  EXPECT_FALSE(space_between("is", "n't") && space_between("it", "'s"));
  EXPECT_FALSE(space_between("", "first"));
  EXPECT_FALSE(space_between("酒店", "很"));
  EXPECT_FALSE(space_between("好", "。"));
  EXPECT_FALSE(space_between("，", "我"));
  EXPECT_TRUE(space_between("用", "Python"));
  EXPECT_TRUE(space_between("한국어", "문장"));
  EXPECT_TRUE(space_between("naïve", "été"));
}

}  // namespace
}  // namespace heed::train
