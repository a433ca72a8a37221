#include "../../data/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Sentences, EndAfterAMarkAndASpace) {
  EXPECT_THAT(split_sentences("It is 3.5 m long.  Good! Is it?! Yes... no"),
              ElementsAre("It is 3.5 m long.", "Good!", "Is it?!", "Yes...", "no"));
  EXPECT_THAT(split_sentences("one"), ElementsAre("one"));
  EXPECT_THAT(split_sentences(""), IsEmpty());
  EXPECT_THAT(split_sentences(" \n\t <br /> \n"), IsEmpty());
}

TEST(Sentences, DoNotEndAfterAbbreviationsAndInitials) {
  EXPECT_THAT(split_sentences("“Mr. Fox met Dr. Who, e.g. at J. R. Hartley's. So did I. Bye."),
              ElementsAre("“Mr. Fox met Dr. Who, e.g. at J. R. Hartley's.", "So did I.", "Bye."));
  EXPECT_THAT(split_sentences("Cats, dogs etc. are fine. Cats etc. But at 5 p.m. we left."),
              ElementsAre("Cats, dogs etc. are fine.", "Cats etc.", "But at 5 p.m. we left."));
  EXPECT_THAT(split_sentences("The U.S. Senate. It was 7B. End with etc."),
              ElementsAre("The U.S. Senate.", "It was 7B.", "End with etc."));
}

TEST(Sentences, TakeInitialsForNoMoreThanAName) {
  EXPECT_THAT(split_sentences("A.B.C.D.E.F.G.H. Smith. A.B.C.D.E.F.G.H.I. Smith."),
              ElementsAre("A.B.C.D.E.F.G.H. Smith.", "A.B.C.D.E.F.G.H.I.", "Smith."));
  EXPECT_THAT(split_sentences("A.b. Next A..B. Next .A. Next"),
              ElementsAre("A.b.", "Next A..B.", "Next .A.", "Next"));
}

TEST(Sentences, KeepTheQuotesThatCloseThem) {
  EXPECT_THAT(split_sentences("\"Go away!\" (He did.) “Why?” Because."),
              ElementsAre("\"Go away!\"", "(He did.)", "“Why?”", "Because."));
  EXPECT_THAT(split_sentences("\"Why?\" she asked. \"Oh.\""),
              ElementsAre("\"Why?\" she asked.", "\"Oh.\""));
}

TEST(Sentences, EndAtLines) {
  EXPECT_THAT(split_sentences("A title\r\nSome text\n\nmore<br />text <i>and</i> on</p>end"),
              ElementsAre("A title", "Some text", "more", "text <i>and</i> on", "end"));
  EXPECT_THAT(split_sentences("Good.<br /><br />Bad."), ElementsAre("Good.", "Bad."));
  EXPECT_THAT(split_sentences(" A title \t\n  more　<br /> "), ElementsAre("A title", "more"));
}

TEST(Sentences, EndAfterChineseMarks) {
  EXPECT_THAT(split_sentences("他说：“天气很好！”然后他走了。你呢？（是的。）　真的吗？！好"),
              ElementsAre("他说：“天气很好！”", "然后他走了。", "你呢？", "（是的。）",
                          "真的吗？！", "好"));
}

TEST(Sentences, AreViewsIntoTheText) {
  const std::string text = "  One.  Two.  ";
  const auto sentences = split_sentences(text);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[1].data() - text.data(), 8);
}

TEST(Sentences, SurviveAnyBytes) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text.push_back(static_cast<char>((i * 167 + i / 7) % 256));
  std::size_t bytes = 0;
  for (const auto sentence : split_sentences(text)) {
    EXPECT_FALSE(sentence.empty());
    bytes += sentence.size();
  }
  EXPECT_GT(bytes, 2000U);
  EXPECT_EQ(split_sentences(std::string(100000, '.')).size(), 1U);
  EXPECT_EQ(split_sentences(std::string(100000, '<')).size(), 1U);
}

}  // namespace
}  // namespace heed::data
