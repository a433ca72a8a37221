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

TEST(AttendedPassage, AddsUpTheColumnsOfAnAlignment) {
  const Alignment looked{"",
                         {"a", "b", "c"},
                         {"x", "y"},
                         Array::from<float>({0.5F, 0, 0.25F, 0.25F, 0, 0.5F}, {2, 3})};
  const AttendedText text = passage_looked_at({{"a", "b"}, {"c", "d"}}, looked);
  EXPECT_EQ(text[0].words[0].weight, 0.75);
  EXPECT_EQ(text[0].words[1].weight, 0);
  EXPECT_EQ(text[1].words[0].weight, 0.75);
  EXPECT_EQ(text[1].words[1].weight, 0);  // behind the last column
  EXPECT_ERROR(ShapeError, "attended_passage: 3 weights for 2 words",
               passage_looked_at({{"a"}, {"b"}}, looked));
  EXPECT_ERROR_WITH(DTypeError, "passage_looked_at: weights",
                    passage_looked_at({{"a"}}, Alignment()));
}

TEST(AttendedPassage, MarksSentences) {
  const AttendedText text = marked_passage({{"a", "b"}, {"c"}, {}}, {0, 2});
  ASSERT_EQ(text.size(), 3U);
  EXPECT_EQ(text[0].weight, 1);
  EXPECT_EQ(text[0].words[1].weight, 1);
  EXPECT_EQ(text[1].words[0].weight, 0);
  EXPECT_EQ(text[1].words[0].text, "c");
  EXPECT_ERROR(IndexError, "marked_passage: no sentence 1 of 1", marked_passage({{"a"}}, {1}));
}

}  // namespace
}  // namespace heed::train
