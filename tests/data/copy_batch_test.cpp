#include "../../data/copy_batch.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../data/coder.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

TEST(CopyBatch, NumbersWhatEachSourceAloneHas) {
  const Vocabulary words =
      vocabulary_with_marks({{"the", 3}, {"won", 2}, {"obi", 1}, {"<s>", 9}}, {.min_count = 2});
  ASSERT_EQ(words.size(), 6);
  EXPECT_EQ(words.word(kBegin), "<s>");
  EXPECT_EQ(words.word(kEnd), "</s>");
  EXPECT_EQ(words.word(4), "the");

  const CopyBatch batch = copy_batch(
      {{{"zora", "won", "obi", "zora"}, {"obi", "won", "ula"}}, {{"the", "ula"}, {"ula"}}}, words);
  EXPECT_EQ(batch.source.shape(), (Shape{2, 4}));
  EXPECT_EQ(batch.source.to_vector<Index>(), (std::vector<Index>{1, 5, 1, 1, 4, 1, 0, 0}));
  EXPECT_EQ(batch.extended.to_vector<Index>(), (std::vector<Index>{6, 5, 7, 6, 4, 6, 0, 0}));
  EXPECT_EQ(batch.lengths, (std::vector<Index>{4, 2}));
  EXPECT_EQ(batch.before.to_vector<Index>(), (std::vector<Index>{2, 1, 5, 1, 2, 1, 0, 0}));
  EXPECT_EQ(batch.targets.to_vector<Index>(), (std::vector<Index>{7, 5, 1, 3, 6, 3, -1, -1}));
  EXPECT_EQ(batch.largest, 8);
  EXPECT_EQ(batch.vocabularies[0].word(7), "obi");
  EXPECT_EQ(batch.vocabularies[1].word(6), "ula");
}

TEST(CopyBatch, RefusesNoExamples) {
  const Vocabulary words;
  EXPECT_ERROR_WITH(ValueError, "", copy_batch({}, words));
}

}  // namespace
}  // namespace heed::data
