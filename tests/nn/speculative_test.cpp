#include "../../nn/speculative.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

constexpr Index kTokens = 3;

// What follows depends on the last two tokens, and on the model's number.
class Two : public TokenModel {
 public:
  explicit Two(double number, Index tokens = kTokens) : number_(number), tokens_(tokens) {}

  std::vector<std::vector<double>> read(const std::vector<Index>& tokens) override {
    ++calls;
    std::vector<std::vector<double>> out;
    for (const Index token : tokens) {
      text.push_back(token);
      out.push_back(after(text));
    }
    return out;
  }
  void rewind(Index length) override {
    ASSERT_LE(length, static_cast<Index>(text.size()));
    text.resize(static_cast<std::size_t>(length));
  }
  std::vector<double> after(const std::vector<Index>& read) const {
    const auto n = read.size();
    const auto a = static_cast<double>(read[n - 1]);
    const auto b = n > 1 ? static_cast<double>(read[n - 2]) : 7;
    std::vector<double> out;
    for (Index i = 0; i < tokens_; ++i) {
      out.push_back(1.3 * std::sin(number_ + 2 * a + 3 * b + 1.7 * static_cast<double>(i)));
    }
    return out;
  }
  std::vector<Index> text;
  int calls = 0;

 private:
  double number_;
  Index tokens_;
};

// Probabilities of all texts of three tokens behind the prompt.
std::map<std::vector<Index>, double> texts_of(const Two& model, const std::vector<Index>& prompt,
                                              const SamplingOptions& choice) {
  std::map<std::vector<Index>, double> out;
  for (Index i = 0; i < kTokens * kTokens * kTokens; ++i) {
    const std::vector<Index> text = {i / 9, i / 3 % 3, i % 3};
    std::vector<Index> read = prompt;
    double p = 1;
    for (const Index token : text) {
      p *= probabilities(model.after(read), choice)[static_cast<std::size_t>(token)];
      read.push_back(token);
    }
    out[text] = p;
  }
  return out;
}

TEST(Speculative, TextsAreTheTargetsWhateverTheDraft) {
  for (const SamplingOptions& choice :
       {SamplingOptions{}, SamplingOptions{.temperature = 0.8, .top_k = 2}}) {
    const auto wanted = texts_of(Two(1), {2, 0}, choice);
    for (const double draft_number : {1.0, 1.4, 4.0}) {
      for (const Index lookahead : {1, 2, 5}) {
        Generator generator(11);
        std::map<std::vector<Index>, double> found;
        constexpr int kTexts = 4000;
        for (int i = 0; i < kTexts; ++i) {
          Two target(1), draft(draft_number);
          const auto text = write_speculatively(
              target, draft, {2, 0}, {.length = 3, .lookahead = lookahead, .choice = choice},
              generator);
          found[text.tokens] += 1.0 / kTexts;
        }
        // Three standard deviations of the likeliest, and somewhat more.
        for (const auto& [text, p] : wanted) EXPECT_NEAR(found[text], p, 0.03);
      }
    }
  }
}

TEST(Speculative, TheLikeliestTextIsTheTargetsOwn) {
  Two own(1);
  std::vector<Index> wanted;
  std::vector<double> scores = own.read({1, 2}).back();
  for (int i = 0; i < 23; ++i) {
    Generator none(1);
    wanted.push_back(sample(scores, {.temperature = 0}, none));
    scores = own.read({wanted.back()}).back();
  }
  for (const double draft_number : {1.0, 1.4, 4.0}) {
    Two target(1), draft(draft_number);
    Generator generator(2);
    const auto text = write_speculatively(
        target, draft, {1, 2}, {.length = 23, .lookahead = 4, .choice = {.temperature = 0}},
        generator);
    EXPECT_EQ(text.tokens, wanted);
    EXPECT_LE(text.kept, text.drafted);
    EXPECT_EQ(target.calls, text.looks + 1);  // the prompt's
    if (draft_number == 1) {                  // five tokens a look
      EXPECT_EQ(text.kept, text.drafted);
      EXPECT_EQ(text.looks, 5);
    }
  }
}

TEST(Speculative, EndsWithTheEnd) {
  for (const double draft_number : {1.0, 4.0}) {
    Generator generator(5);
    for (int i = 0; i < 50; ++i) {
      Two target(1), draft(draft_number);
      const auto text = write_speculatively(target, draft, {0},
                                            {.length = 9, .lookahead = 3, .end = 2}, generator);
      for (std::size_t at = 0; at + 1 < text.tokens.size(); ++at) EXPECT_NE(text.tokens[at], 2);
      EXPECT_TRUE(text.tokens.back() == 2 || text.tokens.size() == 9);
    }
  }
}

// Knows one token alone.
class Sure : public TokenModel {
 public:
  explicit Sure(Index token) : token_(token) {}
  std::vector<std::vector<double>> read(const std::vector<Index>& tokens) override {
    std::vector<double> scores(static_cast<std::size_t>(kTokens));
    scores[static_cast<std::size_t>(token_)] = 50;
    return std::vector(tokens.size(), scores);
  }
  void rewind(Index) override {}

 private:
  Index token_;
};

TEST(Speculative, CountsWhatStayedAndWhatDidNot) {
  Generator generator(3);
  Sure target(1), same(1), other(2);
  const SpeculativeOptions options{.length = 5, .lookahead = 2, .choice = {.temperature = 0}};
  const std::vector<Index> ones(5, 1);
  // Two that stay and one more, then the two that are still to come.
  const auto all = write_speculatively(target, same, {0}, options, generator);
  EXPECT_EQ(all.tokens, ones);
  EXPECT_EQ(all.looks, 2);
  EXPECT_EQ(all.drafted, 4);
  EXPECT_EQ(all.kept, 4);
  // One a look, and at last one is all that is drafted.
  const auto none = write_speculatively(target, other, {0}, options, generator);
  EXPECT_EQ(none.tokens, ones);
  EXPECT_EQ(none.looks, 5);
  EXPECT_EQ(none.drafted, 9);
  EXPECT_EQ(none.kept, 0);
}

TEST(Speculative, TheFirstTokenOfAllMayBeTheEnd) {
  Generator generator(3);
  Sure target(0), same(0), other(1);
  for (Sure* draft : {&same, &other}) {
    const auto text = write_speculatively(
        target, *draft, {1}, {.length = 7, .end = 0, .choice = {.temperature = 0}}, generator);
    EXPECT_EQ(text.tokens, std::vector<Index>{0});
    EXPECT_EQ(text.looks, 1);
  }
}

// Gives what it is told to, whatever it reads.
class Told : public TokenModel {
 public:
  explicit Told(std::vector<std::vector<std::vector<double>>> rows) : rows_(std::move(rows)) {}
  std::vector<std::vector<double>> read(const std::vector<Index>&) override {
    return rows_.at(next_++);
  }
  void rewind(Index) override {}

 private:
  std::vector<std::vector<std::vector<double>>> rows_;
  std::size_t next_ = 0;
};

TEST(Speculative, RefusesWhatModelsGiveThatDoesNotFit) {
  Generator generator(1);
  const SpeculativeOptions options{.length = 5, .lookahead = 2, .choice = {.temperature = 0}};
  const std::vector<double> row = {0, 9, 0}, longer = {0, 0, 0, 9};
  const auto write = [&](std::vector<std::vector<std::vector<double>>> target,
                         std::vector<std::vector<std::vector<double>>> draft) {
    Told large(std::move(target)), small(std::move(draft));
    write_speculatively(large, small, {0}, options, generator);
  };
  EXPECT_ERROR(ShapeError, "write_speculatively: the target gives 0 rows of scores for 1 tokens",
               write({{}}, {{row}}));
  EXPECT_ERROR(ShapeError, "write_speculatively: the draft gives 2 rows of scores for 1 tokens",
               write({{row}}, {{row, row}}));
  EXPECT_ERROR(ShapeError, "write_speculatively: the draft gives rows of 3 scores and of 4",
               write({{row}}, {{row}, {longer}}));
  EXPECT_ERROR(ShapeError, "write_speculatively: the target gives 1 rows of scores for 2 tokens",
               write({{row}, {row}}, {{row}, {row}, {row}}));
  EXPECT_ERROR(ShapeError, "write_speculatively: the target gives rows of 3 scores and of 4",
               write({{row}, {row, longer}}, {{row}, {row}, {row}}));
}

TEST(Speculative, RefusesWhatDoesNotFit) {
  Generator generator(1);
  Two target(1), draft(2), other(2, 4);
  EXPECT_ERROR(ValueError, "write_speculatively: the prompt has no token",
               write_speculatively(target, draft, {}, {}, generator));
  EXPECT_ERROR(ValueError, "write_speculatively: length 0 and lookahead 4 must be positive",
               write_speculatively(target, draft, {1}, {.length = 0}, generator));
  EXPECT_ERROR(ValueError, "write_speculatively: length 100 and lookahead 0 must be positive",
               write_speculatively(target, draft, {1}, {.lookahead = 0}, generator));
  EXPECT_ERROR(ShapeError, "write_speculatively: the target has 3 tokens, the draft 4",
               write_speculatively(target, other, {1}, {}, generator));
  EXPECT_ERROR(ValueError, "sample: top_p 0 is not in (0, 1]",
               write_speculatively(target, draft, {1}, {.choice = {.top_p = 0}}, generator));
}

}  // namespace
}  // namespace heed::nn
