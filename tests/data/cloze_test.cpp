#include "../../data/cloze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ClozeWords, AreThoseOfThePassage) {
  const Cloze row{{{"bb", "a", "cc"}, {"cc", "bb", "a", "a"}}, {"XXXXX", "dd"}, ""};
  EXPECT_THAT(passage_words(row), ElementsAre("bb", "a", "cc", "cc", "bb", "a", "a"));
  EXPECT_THAT(different_words(row), ElementsAre("bb", "a", "cc"));
  EXPECT_THAT(cloze_words(" a  bXXXXXc\u3000\u3000XXXXX "),
              ElementsAre("a", "b", "XXXXX", "c", "XXXXX"));
  EXPECT_THAT(cloze_words(" \u3000"), IsEmpty());
}

// Of two characters at least, not of the query, the first of the most frequent.
TEST(ClozeWords, TheMostFrequentIsABaseline) {
  Cloze row{{{"bb", "a", "cc", "dd"}, {"dd", "cc", "bb", "a", "a", "XXXXX", "XXXXX", "XXXXX"}},
            {"bb"},
            ""};
  EXPECT_EQ(most_frequent_word(row), "cc");
  row.query = {"cc", "XXXXX"};
  EXPECT_EQ(most_frequent_word(row), "bb");
  row.query = {"bb", "cc", "dd"};
  EXPECT_EQ(most_frequent_word(row), "");
  row.passage = {{"\u732b", "\u732b", "\u8001\u864e"}};  // one character of three bytes
  EXPECT_EQ(most_frequent_word(row), "\u8001\u864e");
}

TEST(ClozeWords, ABlankAloneIsNoPassage) {
  EXPECT_ERROR(FormatError, "here:7: cloze: the passage has no word but the blank",
               check_cloze({{{"XXXXX"}, {"XXXXX", "XXXXX"}}, {"XXXXX", "ran"}, "", 7}, "here"));
  EXPECT_ERROR(FormatError, "here:7: cloze: no passage before the query",
               check_cloze({{}, {"XXXXX", "ran"}, "", 7}, "here"));
  EXPECT_NO_THROW(check_cloze({{{"XXXXX", "a"}}, {"XXXXX", "ran"}, "", 7}, "here"));
}

}  // namespace
}  // namespace heed::data
