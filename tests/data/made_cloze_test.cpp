#include "../../data/made_cloze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const Cloze kRow{{{"a", "hen", "saw", "a", "fox"},
                  {"the", "XXXXX", "ran"},
                  {"so", "did", "the", "hen", ",", "hen", "!"},
                  {"no", "seed", "or", "dog", "there"}},
                 {"the", "XXXXX", "ran"},
                 "fox",
                 12};

TEST(MadeCloze, BlanksWordsThatComeTwice) {
  Generator generator(3);
  std::map<std::string, int> answers, sentences;
  for (int i = 0; i < 211; ++i) {
    for (const Cloze& made :
         make_cloze(kRow, {"hen", "fox", "seed", "the", "XXXXX"}, {}, generator)) {
      check_cloze(made, "made");
      EXPECT_EQ(made.line, 12U);
      ++answers[made.answer];
      ++sentences[made.answer + " of " + made.query[0]];
      EXPECT_EQ(std::count(made.passage.begin(), made.passage.end(), made.query), 1);
      std::vector<std::string> words = passage_words(made);
      EXPECT_EQ(std::count(words.begin(), words.end(), kBlank), 1);
      *std::find(words.begin(), words.end(), kBlank) = made.answer;
      Cloze whole = kRow;
      whole.passage[1][1] = "fox";
      EXPECT_EQ(words, passage_words(whole));
    }
  }
  // The fox stands in a sentence that is long enough once, and so does "the".
  EXPECT_THAT(answers, ElementsAre(testing::Pair("fox", 211), testing::Pair("hen", 211),
                                   testing::Pair("the", 211)));
  EXPECT_THAT(sentences, testing::SizeIs(4));
  EXPECT_GT(sentences["hen of a"], 40);  // one place of three
  EXPECT_GT(sentences["hen of so"], 2 * sentences["hen of a"] - 60);
}

TEST(MadeCloze, AsksForOtherWordsEachAndNoMoreThanWanted) {
  Generator a(5), b(5), c(6);
  const std::set<std::string> askable = {"hen", "fox", "the"};
  const auto two = make_cloze(kRow, askable, {.queries = 2}, a);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_NE(two[0].answer, two[1].answer);
  EXPECT_EQ(make_cloze(kRow, askable, {.queries = 2}, b)[1].query, two[1].query);
  EXPECT_THAT(make_cloze(kRow, askable, {.queries = 0}, c), IsEmpty());
  EXPECT_THAT(make_cloze(kRow, askable, {.shortest = 8}, c), IsEmpty());
  EXPECT_EQ(make_cloze(kRow, askable, {.shortest = 1, .longest = 3}, c).size(), 2U);
  EXPECT_ERROR(ValueError, "made cloze: -1 queries of 5 to 60 words cannot be made",
               make_cloze(kRow, askable, {.queries = -1}, c));
  EXPECT_ERROR(ValueError, "made cloze: 4 queries of -1 to 60 words cannot be made",
               make_cloze(kRow, askable, {.shortest = -1}, c));
  EXPECT_ERROR(ValueError, "made cloze: 4 queries of 5 to -1 words cannot be made",
               make_cloze(kRow, askable, {.longest = -1}, c));
  EXPECT_EQ(make_cloze(kRow, askable, {.shortest = 7, .longest = 7}, c).size(), 2U);
  EXPECT_THAT(make_cloze(kRow, askable, {.shortest = 0, .longest = 0}, c), IsEmpty());
}

TEST(MadeCloze, WhatMayBeAskedForIsRareAndOfLetters) {
  const Cloze one{{{"in", "xx", "!!", "c", "12", "a-b"}}, {"XXXXX"}, "c"},
      two{{{"in", "yy", "XXXXX", "d", "\u864e\u732b", "\u864e"}}, {"XXXXX"}, "in"};
  EXPECT_THAT(askable_words({{one}, {two}}, 1),
              UnorderedElementsAre("xx", "c", "12", "yy", "\u864e\u732b"));
  EXPECT_THAT(askable_words({{one}, {two, one}}, 0.5), IsEmpty());
  // Where nothing is said, less than a tenth of the passages.
  std::vector<std::vector<Cloze>> many(10, {two});
  many[3] = {one};
  EXPECT_THAT(askable_words(many), IsEmpty());
  many.push_back({two});
  EXPECT_THAT(askable_words(many), UnorderedElementsAre("xx", "c", "12"));
  many[0].clear();  // a passage without rows is none
  EXPECT_THAT(askable_words(many), IsEmpty());
}

TEST(MadeCloze, RowsOfAPassageStandTogether) {
  Cloze filled = kRow, other = kRow;
  filled.passage[1][1] = "fox";
  filled.query = {"a", "XXXXX", "saw"};
  filled.answer = "hen";
  other.answer = "hen";
  const auto passages = by_passage({kRow, other, filled});
  ASSERT_EQ(passages.size(), 2U);
  ASSERT_EQ(passages[0].size(), 2U);
  EXPECT_EQ(passages[0][1].answer, "hen");
  EXPECT_EQ(passages[1][0].query, kRow.query);
}

}  // namespace
}  // namespace heed::data
