#include "../../data/cloze_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using Ids = std::vector<Index>;

const Cloze kLong{
    {{"hen", "sees", "fox"}, {"fox", "sees", "\u864e\u732b"}}, {"XXXXX", "sees", "hen"}, "fox"},
    kShort{{{"zoe", "max"}}, {"max", "XXXXX"}, "max"};

TEST(ClozeBatchTest, WordsPlacesAndMarksAreNumbers) {
  ClozeNumbers numbers{Vocabulary({"fox", "sees"}), Vocabulary({"e", "s", "\u864e"}), 2, true};
  const ClozeBatch batch = cloze_batch({kShort, kLong}, numbers);
  // 4 and 5 are the first unknown words, and the third is 4 again.
  EXPECT_EQ(batch.passage.words.to_vector<Index>(), (Ids{4, 5, 0, 0, 0, 0, 4, 3, 2, 2, 3, 5}));
  EXPECT_EQ(batch.query.words.to_vector<Index>(), (Ids{5, 4, 0, 4, 3, 4}));
  EXPECT_EQ(batch.passage.marks.to_vector<Index>(), (Ids{1, 11, 0, 0, 0, 0, 11, 12, 2, 2, 12, 1}));
  EXPECT_EQ(batch.query.marks.to_vector<Index>(), (Ids{11, 10, 0, 10, 12, 11}));
  EXPECT_THAT(batch.passage.lengths, ElementsAre(2, 6));
  EXPECT_THAT(batch.query.lengths, ElementsAre(2, 3));
  EXPECT_EQ(batch.places.to_vector<Index>(), (Ids{0, 1, 0, 0, 0, 0, 0, 1, 2, 2, 1, 3}));
  EXPECT_EQ(batch.candidates, 4);
  EXPECT_EQ(batch.answers.to_vector<Index>(), (Ids{1, 2}));
  ASSERT_EQ(batch.query.letters.shape(), (Shape{2, 3, kLetters}));
  EXPECT_EQ(batch.query.letters.to_vector<Index>(),
            (Ids{1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 3, 2, 2, 3, 1, 2, 1, 0}));
  EXPECT_EQ(batch.passage.letters.to_vector<Index>().back(), 0);
  numbers.overlap = false;
  EXPECT_EQ(cloze_batch({kShort}, numbers).passage.marks.to_vector<Index>(), (Ids{1, 1}));
}

TEST(ClozeBatchTest, CountsAboveNineAreOne) {
  Cloze often{{std::vector<std::string>(11, "a")}, {"XXXXX", "a"}, "b"};
  const ClozeBatch batch = cloze_batch({often}, {});
  EXPECT_EQ(batch.passage.marks.to_vector<Index>()[10], kMostOften);
  EXPECT_EQ(batch.answers.to_vector<Index>(), (Ids{0}));
}

TEST(ClozeBatchTest, VocabulariesCountEachSentenceOnce) {
  Cloze again = kLong;
  again.query = {"hen", "XXXXX"};
  const auto sentences = cloze_sentences({kLong, again});
  EXPECT_THAT(sentences, ElementsAre(kLong.passage[0], kLong.passage[1], kLong.query, again.query));
  const ClozeNumbers numbers = cloze_numbers({kLong, again}, 2);
  EXPECT_EQ(numbers.words.serialize(), "<pad>\n<unk>\nhen\nsees\nXXXXX\nfox\n");
  EXPECT_TRUE(numbers.letters.contains("h"));
  EXPECT_FALSE(numbers.letters.contains("\u864e"));
}

TEST(ClozeBatchTest, RefusesRowsOfNothing) {
  EXPECT_ERROR(ValueError, "cloze batch: no rows", cloze_batch({}, {}));
  EXPECT_ERROR(ValueError, "cloze batch: a row without words",
               cloze_batch({Cloze{{{}}, {"a"}, ""}}, {}));
  EXPECT_ERROR(ValueError, "cloze batch: a row without words",
               cloze_batch({Cloze{{{"a"}}, {}, ""}}, {}));
  for (const Index count : {0, -3}) {
    ClozeNumbers numbers;
    numbers.unknown = count;
    EXPECT_ERROR_WITH(ValueError, "numbers for unknown words; needs at least 1",
                      cloze_batch({kShort}, numbers));
  }
}

}  // namespace
}  // namespace heed::data
