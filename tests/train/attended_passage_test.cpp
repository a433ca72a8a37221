#include "../../train/attended_passage.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

TEST(AttendedPassage, GivesEachSentenceItsWeights) {
  const AttendedText text = attended_passage({{"a", "b"}, {}, {"c"}}, {0.5, 0.25, 0.125});
  ASSERT_EQ(text.size(), 3U);
  EXPECT_EQ(text[0].weight, 1);
  EXPECT_EQ(text[0].words[1].text, "b");
  EXPECT_EQ(text[0].words[1].weight, 0.25);
  EXPECT_TRUE(text[1].words.empty());
  EXPECT_EQ(text[2].words[0].weight, 0.125);
  EXPECT_TRUE(attended_passage({}, {}).empty());
  EXPECT_ERROR(ShapeError, "attended_passage: 1 weights for 2 words",
               attended_passage({{"a"}, {"b"}}, {1}));
  EXPECT_ERROR(ShapeError, "attended_passage: 2 weights for 1 words",
               attended_passage({{"a"}}, {1, 0}));
}

}  // namespace
}  // namespace heed::train
