#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../../examples/cloze/answers.h"
#include "../../../nn/gradcheck.h"
#include "../../support/throws.h"

namespace cloze {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<Cloze> kRows = {{{{"ann", "has", "a", "hen"}, {"ben", "has", "a", "dog", "."}},
                                   {"XXXXX", "owns", "dog"},
                                   "ben"},
                                  {{{"zoe", "ran"}}, {"who", "XXXXX"}, "zoe"}};

Reader small(const std::string& attention, bool spelling = true, DType dtype = DType::f32) {
  manual_seed(7);
  Generator generator(3);
  return make_reader({.attention = attention,
                      .unknown = 2,
                      .width = 5,
                      .marks = 3,
                      .hidden = 2,
                      .dropout = 0,
                      .spelling = spelling,
                      .longest = {},
                      .dtype = dtype},
                     kRows, 1, generator);
}

TEST(ClozeReader, GradientsAreThoseOfDifferences) {
  for (const char* attention : {"sum", "aoa", "gated", "none"}) {
    // The row of padding gets no gradient: with spelling, words have all their letters.
    const bool spelling = *attention == 'a';
    Reader reader = small(attention, spelling, DType::f64);
    const Cloze full{
        {{"anna", "has_", "hens"}, {"zoe_", "has_"}}, {"XXXXX", "owns", "hens"}, "zoe_"};
    const auto batch = data::cloze_batch(spelling ? std::vector{full} : kRows, reader.numbers);
    const auto report = nn::gradcheck(*reader.model, [&] { return loss_of(*reader.model, batch); });
    EXPECT_TRUE(report) << attention << '\n' << report.text();
  }
}

TEST(ClozeReader, ARowIsAnsweredAsAlone) {
  for (const char* attention : {"sum", "aoa", "gated", "none"}) {
    const Reader reader = small(attention);
    const Reading both = (*reader.model)(data::cloze_batch(kRows, reader.numbers), true);
    const Answer alone = answer(reader, kRows[1], "here");
    const auto weights = both.seen.weights.array().to_vector<float>();
    ASSERT_EQ(weights.size(), 18U);
    EXPECT_NEAR(weights[9], alone.weights[0], 1e-6) << attention;
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.begin() + 9, 0.0), 1, 1e-5);
    EXPECT_EQ(alone.words.size(), 2U);
    EXPECT_GE(alone.words[0].second, alone.words[1].second);
    EXPECT_EQ(alone.of_query.empty(), attention != std::string("aoa"));
    // What stands twice has the sum: "has" and "a".
    const auto words = both.words.array().to_vector<float>();
    EXPECT_NEAR(words[1], weights[1] + weights[5], 1e-6) << attention;
  }
}

TEST(ClozeReader, OnlyOneThatAsksSeesTheQuery) {
  Cloze other = kRows[0];
  other.query = {"XXXXX", "owns", "hen"};
  for (const char* attention : {"sum", "aoa", "gated", "none"}) {
    Reader reader = small(attention);
    reader.numbers.overlap = false;
    EXPECT_EQ(answer(reader, other, "").weights == answer(reader, kRows[0], "").weights,
              attention == std::string("none"));
  }
}

TEST(ClozeReader, ScoresCountBothAnswers) {
  const Score score = evaluate(small("sum"), kRows);
  EXPECT_EQ(score.count, 2);
  EXPECT_EQ(score.frequent, 1);  // "has" and "zoe"
  EXPECT_DOUBLE_EQ(score.share(1), 0.5);
  EXPECT_GT(score.loss, 0);
}

// As ask does.
TEST(ClozeReader, TheBlankIsNoAnswer) {
  const Cloze row{
      {{"XXXXX", "XXXXX", "XXXXX", "XXXXX", "zoe", "XXXXX", "XXXXX"}}, {"who", "XXXXX"}, "zoe"};
  for (const char* attention : {"sum", "aoa", "gated", "none"}) {
    const Reader reader = small(attention);
    EXPECT_EQ(evaluate(reader, {row, row}).right, 2) << attention;
    EXPECT_EQ(answer(reader, row, "here").words.size(), 1U) << attention;
  }
}

TEST(ClozeReader, RefusesWhatItCannotAnswer) {
  const Reader reader = small("aoa");
  Cloze row = kRows[0];
  row.line = 12;
  row.query = {"who", "?"};
  EXPECT_ERROR(FormatError, "here:12: cloze: no XXXXX in the query", answer(reader, row, "here"));
  row.id = 0;  // CMRC's questions
  EXPECT_EQ(answer(reader, row, "here").of_query.size(), 2U);
  row.query = std::vector<std::string>(101, "a");
  EXPECT_ERROR(FormatError, "here:12: cloze: a query of 101 words, above 100",
               answer(reader, row, "here"));
}

TEST(ClozeAnswers, AreShownWithWhatWasLookedAt) {
  const Answer found{{{"ben", 0.75}, {"ann", 0.125}},
                     {0.0, 0.125, 0, 0, 0.75, 0, 0, 0, 0.125},
                     {0.25, 0, 0.75},
                     Array::zeros({3, 9}, DType::f64)};
  EXPECT_EQ(
      in_text(kRows[0], found, train::ShadeStyle::marks),
      "ben 75.0 %  ann 12.5 %\n  ann has a hen\n  [[ben]] has a dog.\n  ? [XXXXX] owns [[dog]]\n");
  EXPECT_GT(in_picture(kRows[0], found).height(), 50);
  const Answer plain{{{"ben", 1}}, found.weights, {}, {}};
  EXPECT_THAT(in_text(kRows[0], plain, train::ShadeStyle::marks), Not(HasSubstr("?")));
  EXPECT_LT(in_picture(kRows[0], plain).height(), in_picture(kRows[0], found).height());
}

}  // namespace
}  // namespace cloze
