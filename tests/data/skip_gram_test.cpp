#include "../../data/skip_gram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using Sentences = std::vector<std::vector<Index>>;

double cosine(const Array& rows, Index a, Index b) {
  const Index width = rows.size(1);
  const float *x = rows.data<float>() + a * width, *y = rows.data<float>() + b * width;
  double xy = 0, xx = 0, yy = 0;
  for (Index i = 0; i < width; ++i) {
    xy += static_cast<double>(x[i]) * y[i];
    xx += static_cast<double>(x[i]) * x[i];
    yy += static_cast<double>(y[i]) * y[i];
  }
  return xy / std::sqrt(xx * yy);
}

// Words 0 to 4 stand beside 10 to 14, words 5 to 9 beside 15 to 19.
Sentences two_sorts() {
  Generator dice(11);
  Sentences out;
  for (int i = 0; i < 2003; ++i) {
    const Index sort = dice.below(2);
    std::vector<Index> sentence;
    for (int pair = 0; pair < 3; ++pair) {
      sentence.push_back(5 * sort + dice.below(5));
      sentence.push_back(10 + 5 * sort + dice.below(5));
    }
    out.push_back(sentence);
  }
  return out;
}
constexpr SkipGramOptions kSmall = {.width = 13, .window = 2, .epochs = 3, .subsample = 1};

TEST(SkipGram, WordsOfTheSameNeighboursAreAlike) {
  Generator generator(3);
  const Array rows = skip_gram(two_sorts(), 20, kSmall, generator);
  ASSERT_EQ(rows.shape(), (Shape{20, 13}));
  ASSERT_EQ(rows.dtype(), DType::f32);
  for (Index a = 0; a < 5; ++a) {
    for (Index b = 0; b < 5; ++b) {
      EXPECT_GT(cosine(rows, a, b), 0.8) << a << ' ' << b;
      EXPECT_LT(cosine(rows, a, 5 + b), 0.3) << a << ' ' << b;
    }
  }
}

TEST(SkipGram, FollowsItsGenerator) {
  Generator a(3), b(3), c(4);
  const Sentences text = two_sorts();
  const auto first = skip_gram(text, 20, kSmall, a).to_vector<float>();
  EXPECT_EQ(skip_gram(text, 20, kSmall, b).to_vector<float>(), first);
  EXPECT_NE(skip_gram(text, 20, kSmall, c).to_vector<float>(), first);
  EXPECT_EQ(a.state(), b.state());
}

// Two words that see each other alone: with o at 0 the first step moves no v, and then all follows
// from v's first numbers. Rows longer than a vector of the processor, too.
TEST(SkipGram, IsTheDefinition) {
  for (const std::size_t width : {3, 8, 19}) {
    const auto n = static_cast<Index>(width);
    const SkipGramOptions options = {
        .width = n, .window = 1, .negatives = 1, .epochs = 1, .lr = 20, .subsample = 1};
    Generator ours(5), same(5);
    const Sentences text = {{0, 1}, {1, 0}, {0, 1}};
    const Array found = skip_gram(text, 2, options, ours);
    std::vector<std::vector<double>> v(2, std::vector<double>(width)), o = v;
    for (auto& row : v) {
      for (double& x : row) {
        x = static_cast<float>((2 * same.uniform() - 1) * (0.5 / static_cast<double>(width)));
      }
    }
    double rate = 20;
    const auto tell = [&](int word, int other, double truth, std::vector<double>& g) {
      auto &from = v[static_cast<std::size_t>(word)], &to = o[static_cast<std::size_t>(other)];
      double score = 0;
      for (std::size_t i = 0; i < width; ++i) score += from[i] * to[i];
      const double step = rate * (truth - 1 / (1 + std::exp(-score)));
      for (std::size_t i = 0; i < width; ++i) {
        g[i] += step * to[i];
        to[i] += step * from[i];
      }
    };
    const auto order = same.permutation(3);
    for (std::size_t k = 0; k < 3; ++k) {
      rate = 20 * (1 - static_cast<double>(2 * k) / 6);
      same.uniform();
      same.uniform();
      for (const Index word : text[static_cast<std::size_t>(order[k])]) {
        same.below(1);
        std::vector<double> g(width);
        const int own = static_cast<int>(word);
        tell(own, 1 - own, 1, g);
        const int drawn = same.uniform() * 2 < 1 ? 0 : 1;
        if (drawn == own) tell(own, drawn, 0, g);
        for (std::size_t i = 0; i < width; ++i) v[static_cast<std::size_t>(own)][i] += g[i];
      }
    }
    const auto numbers = found.to_vector<float>();
    for (std::size_t i = 0; i < 2 * width; ++i) {
      EXPECT_NEAR(numbers[i], v[i / width][i % width], 1e-4) << width << ' ' << i;
    }
    EXPECT_EQ(ours.state(), same.state());
  }
}

TEST(SkipGram, LeavesOutFrequentWordsAndKeepsUnseenOnes) {
  Generator a(7), b(7);
  SkipGramOptions options = kSmall;
  options.subsample = 1e-12;  // nothing is left to learn from
  const auto untouched = skip_gram(two_sorts(), 23, options, a).to_vector<float>();
  const auto learned = skip_gram(two_sorts(), 23, kSmall, b).to_vector<float>();
  for (std::size_t i = 0; i < learned.size(); ++i) {
    EXPECT_LE(std::fabs(untouched[i]), 0.5 / 13);
    if (i >= 20 * 13) {
      EXPECT_EQ(learned[i], untouched[i]);
    }
  }
  EXPECT_NE(std::vector<float>(learned.begin(), learned.begin() + 13),
            std::vector<float>(untouched.begin(), untouched.begin() + 13));
}

TEST(SkipGram, RefusesWhatMakesNoSense) {
  Generator generator(1);
  const auto learn = [&](const SkipGramOptions& options) {
    skip_gram({{0, 1}}, 2, options, generator);
  };
  EXPECT_ERROR(ValueError,
               "skip_gram: width 0, window 5, negatives 5, epochs 5, lr 0.025 and subsample 0.001 "
               "must be positive",
               learn({.width = 0}));
  EXPECT_THROW(learn({.window = 0}), ValueError);
  EXPECT_THROW(learn({.negatives = 0}), ValueError);
  EXPECT_THROW(learn({.epochs = 0}), ValueError);
  EXPECT_THROW(learn({.lr = 0}), ValueError);
  EXPECT_THROW(learn({.lr = INFINITY}), ValueError);
  for (const double subsample : std::vector<double>{0, -1, INFINITY, NAN})
    EXPECT_THROW(learn({.subsample = subsample}), ValueError) << subsample;
  EXPECT_ERROR_WITH(ShapeError, "skip_gram", learn({.width = Index{1} << 62}));
  EXPECT_ERROR(IndexError, "skip_gram: word 2 is not within 0 to 1",
               skip_gram({{0, 2}}, 2, {}, generator));
  EXPECT_ERROR(IndexError, "skip_gram: word -1 is not within 0 to 1",
               skip_gram({{-1}}, 2, {}, generator));
  EXPECT_ERROR(ValueError, "skip_gram: the sentences have no words",
               skip_gram({{}, {}}, 2, {}, generator));
  EXPECT_ERROR(ValueError, "skip_gram: a vocabulary of 0 words", skip_gram({}, 0, {}, generator));
  EXPECT_EQ(generator.state(), Generator(1).state());  // nothing was drawn
}

}  // namespace
}  // namespace heed::data
