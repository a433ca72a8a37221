#include "../../train/rouge.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

// Section 3.1 of the paper: with "police kill the gunman" and "the gunman kill police" ROUGE-2 is
// the same, ROUGE-L 3/4 and 2/4.
TEST(Rouge, SentencesOfThePaper) {
  const RougeText reference = {"police killed the gunman"};
  const Rouge first = rouge({"police kill the gunman"}, reference);
  const Rouge second = rouge({"the gunman kill police"}, reference);
  const Rouge third = rouge({"the gunman police killed"}, reference);
  EXPECT_DOUBLE_EQ(first.l.f, 0.75);
  EXPECT_DOUBLE_EQ(second.l.f, 0.5);
  EXPECT_DOUBLE_EQ(third.l.f, 0.5);
  EXPECT_DOUBLE_EQ(first.two.f, second.two.f);
  EXPECT_GT(third.two.f, first.two.f);
}

// Section 3.2: the union of w1 w2 and w1 w3 w5 has 4 of 5 words.
TEST(Rouge, UnionOfThePaper) {
  const Rouge found = rouge({"w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5"}, {"w1 w2 w3 w4 w5"});
  EXPECT_DOUBLE_EQ(found.l.recall, 0.8);
  EXPECT_DOUBLE_EQ(found.l.precision, 0.4);
  EXPECT_NEAR(found.l.f, 0.5333, 5e-5);
  EXPECT_EQ(found.to_string(), "   53.33    15.38    53.33");
}

// Texts of random letters and what ROUGE-1.5.5 gave for them, published with Google's rouge_score.
TEST(Rouge, IsThatOfTheScript) {
  const std::string one =
      "rFDJCRtion Ht-LM EKtDXkME,yz'RBr q'wer wrojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxi";
  const std::string two =
      "n cw-WeFyu vC MoBL Xdn g wkvcEiGvKtion BDFhrpMer pstion sbKao Q m qier LMmed HqqLFXe,XPY,J "
      "XsurkMeo ,ed nB'wH'bWVHjWFEer tQ.saefZwJtKrTlixYpMMNJtion UCAPwNHeYVjD";
  const std::string one_reference =
      "ZfbCUIUuePaiLVUlCaUXxkpu XPeWing tUHfPMuZ',-Xd Y BrUgVJing M-HV.-DgdDaY.rFDJCRing Ht-LM "
      "EKBDXkME,yz'RBr q'wtion wIojNbN wL,b .a-'XdQggyFl jB-RPP'iyOIcUxer tKM L";
  const std::string two_reference =
      "KsJdPByEtAor fE-Qg Dpdbring cw-WeFyu vC MoBL Xdn g wkvcEiGvKtion BDFhrpMtion psing sbKao Q "
      "m qiing LMmer HqqLFXe,XPY,J XsurkMer ,ed nB'wH'bWVHjWFEing tQ.saefZwJtKrTlixYpMMsJing "
      "UCAPwNHeYVjDing c T BUySKtion gMPfJpwGw p'NvxAoping eu pBwMBKV'I DNxqelhu,PHPxDEq,mtion SN";
  const auto expect = [](const RougeScore& score, double recall, double precision, double f) {
    EXPECT_NEAR(score.recall, recall, 5e-6);
    EXPECT_NEAR(score.precision, precision, 5e-6);
    EXPECT_NEAR(score.f, f, 5e-6);
  };
  const Rouge first = rouge({one}, {one_reference});
  expect(first.one, 0.40741, 0.68750, 0.51163);
  expect(first.two, 0.30769, 0.53333, 0.39024);
  expect(first.l, 0.40741, 0.68750, 0.51163);
  const Rouge second = rouge({two}, {two_reference});
  expect(second.one, 0.40476, 0.65385, 0.50000);
  expect(second.two, 0.29268, 0.48000, 0.36364);
  expect(second.l, 0.40476, 0.65385, 0.50000);

  const Rouge mean = mean_rouge({{one}, {two}}, {{one_reference}, {two_reference}});
  EXPECT_NEAR(mean.one.f, (0.51163 + 0.5) / 2, 1e-5);
  EXPECT_NEAR(mean.two.recall, (0.30769 + 0.29268) / 2, 1e-5);
  EXPECT_NEAR(mean.l.precision, (0.68750 + 0.65385) / 2, 1e-5);
}

TEST(Rouge, NgramsGoAcrossSentencesAndAreClipped) {
  const Rouge found = rouge({"a a", "a b"}, {"a", "a b", "c"});
  EXPECT_DOUBLE_EQ(found.one.recall, 3. / 4);  // a a b of a a b c
  EXPECT_DOUBLE_EQ(found.one.precision, 3. / 4);
  EXPECT_DOUBLE_EQ(found.two.recall, 2. / 3);     // aa ab of aa ab bc
  EXPECT_DOUBLE_EQ(found.two.precision, 2. / 3);  // of aa aa ab
}

// A word of the summary is not found twice, though two sentences of the reference have it.
TEST(Rouge, AWordOfTheSummaryIsCommonOnce) {
  const Rouge found = rouge({"x y"}, {"x", "x", "y x"});
  EXPECT_DOUBLE_EQ(found.l.recall, 2. / 4);
  EXPECT_DOUBLE_EQ(found.l.precision, 1);
}

TEST(Rouge, WordsAreLettersAndDigits) {
  EXPECT_EQ(rouge_words("It's $1.2bn-worth, caf\xc3\xa9s!"),
            (std::vector<std::string>{"it", "s", "1", "2bn", "worth", "caf", "s"}));
  EXPECT_TRUE(rouge_words(" - ").empty());
}

TEST(Rouge, IsNoughtWithoutWords) {
  for (const auto& [own, other] : {std::pair<RougeText, RougeText>{{}, {"a"}},
                                   {{"a"}, {}},
                                   {{"/"}, {"a"}},
                                   {{"b c"}, {"a"}},
                                   {{}, {}}}) {
    const Rouge found = rouge(own, other);
    for (const RougeScore& score : {found.one, found.two, found.l}) {
      EXPECT_EQ(score.recall, 0);
      EXPECT_EQ(score.precision, 0);
      EXPECT_EQ(score.f, 0);
    }
  }
  EXPECT_EQ(rouge({"a"}, {"a"}).two.f, 0);  // no bigrams
  EXPECT_EQ(rouge({"a"}, {"a"}).one.f, 1);
}

TEST(Rouge, RefusesTextsWithoutReferences) {
  EXPECT_ERROR(ValueError, "rouge: there are no texts", mean_rouge({}, {}));
  EXPECT_ERROR(ValueError, "rouge: 2 texts, but references for 1",
               mean_rouge({{"a"}, {"b"}}, {{"a"}}));
}

}  // namespace
}  // namespace heed::train
