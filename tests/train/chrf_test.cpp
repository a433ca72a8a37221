#include "../../train/chrf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {
using Lines = std::vector<std::string>;
using References = std::vector<std::vector<std::string>>;

// Numbers published with sacreBLEU: its manual, its tests, and the card of its chrF in a library of
// measures.
TEST(Chrf, ExamplesOfSacrebleu) {
  const Lines dogs = {"The dog bit the man.", "It wasn't surprising.",
                      "The man had just bitten him."};
  const References references = {{"The dog bit the man.", "The dog had bit the man."},
                                 {"It was not unexpected.", "No one was surprised."},
                                 {"The man bit him first.", "The man had bitten the dog."}};
  EXPECT_NEAR(corpus_chrf(dogs, references), 59.73, 0.005);

  EXPECT_NEAR(corpus_chrf({"The relationship between Obama and Netanyahu is not exactly friendly."},
                          Lines{"The ties between Obama and Netanyahu are not particularly "
                                "friendly."}),
              61.576379378113785, 1e-9);
  const Lines systems = {"The relationship between cats and dogs is not exactly friendly.",
                         "a good bookshop is just a genteel black hole that knows how to read."};
  const Lines cats = {"The relationship between dogs and cats is not exactly friendly.",
                      "A good bookshop is just a genteel Black Hole that knows how to read."};
  EXPECT_NEAR(corpus_chrf(systems, cats), 84.64214891738334, 1e-9);
  EXPECT_NEAR(corpus_chrf(systems, cats, {.word_order = 2}), 82.87263732906315, 1e-9);
}

TEST(Chrf, EffectiveOrderOfSacrebleu) {
  const auto score = [](const Lines& systems, const Lines& references) {
    return corpus_chrf(systems, references, {.beta = 3.0});
  };
  EXPECT_DOUBLE_EQ(score({"a"}, {"a"}), 100.0);
  EXPECT_EQ(score({""}, {"reference"}), 0.0);
  EXPECT_DOUBLE_EQ(score({"a b c"}, {"a b c"}), 100.0);
  EXPECT_DOUBLE_EQ(score({"a b c"}, {"abc"}), 100.0);
  EXPECT_EQ(score({""}, {"c"}), 0.0);
  EXPECT_DOUBLE_EQ(score({"a", "b"}, {"a", "c"}), 50.0);
  EXPECT_DOUBLE_EQ(score({"aa"}, {"ab"}), 25.0);
  EXPECT_EQ(score({"abcdefg"}, {"hijklmnop"}), 0.0);
  EXPECT_EQ(score({""}, {""}), 0.0);
}

TEST(Chrf, WhiteSpaceOfSacrebleu) {
  const ChrfOptions options{.beta = 3.0, .white_space = true};
  EXPECT_NEAR(
      sentence_chrf("Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich.",
                    {"Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade "
                     "freundschaftlich."},
                    options),
      67.3481606, 1e-4);
  EXPECT_NEAR(sentence_chrf("risk assessment must be made of those who are qualified and expertise "
                            "in the sector - these are the scientists .",
                            {"risk assessment has to be undertaken by those who are qualified and "
                             "expert in that area - that is the scientists ."},
                            options),
              65.2414427, 1e-4);
}

// "aab" against "ab": of characters P = 2/3, R = 1; of pairs P = 1/2, R = 1; of three the reference
// has none.
TEST(Chrf, IsItsFormula) {
  const auto f = [](double p, double r, double beta) {
    return 100 * (1 + beta * beta) * p * r / (beta * beta * p + r);
  };
  EXPECT_DOUBLE_EQ(sentence_chrf("aab", {"ab"}), f((2.0 / 3 + 1.0 / 2) / 2, 1.0, 2.0));
  EXPECT_DOUBLE_EQ(sentence_chrf("aab", {"ab"}, {.beta = 0.5}),
                   f((2.0 / 3 + 1.0 / 2) / 2, 1.0, 0.5));
  EXPECT_DOUBLE_EQ(sentence_chrf("aab", {"ab"}, {.char_order = 1}), f(2.0 / 3, 1.0, 2.0));
  // Words: "(ab" and ")" against "ab" and ")": the mark that ends a word is taken off first.
  EXPECT_DOUBLE_EQ(sentence_chrf("(ab)", {"ab )"}, {.char_order = 1, .word_order = 1}),
                   f((3.0 / 4 + 1.0 / 2) / 2, (1.0 + 1.0 / 2) / 2, 2.0));
  EXPECT_DOUBLE_EQ(sentence_chrf("(ab", {"ab ("}, {.char_order = 1, .word_order = 1}), 100.0);
}

// Over lines counts are added up, but of a line without any n-gram in the reference the system's
// do not count either.
TEST(Chrf, AddsUpLines) {
  const auto f = [](double p, double r) { return 100 * 5 * p * r / (4 * p + r); };
  EXPECT_DOUBLE_EQ(corpus_chrf({"aab", "xyz"}, Lines{"ab", "x"}, {.char_order = 1}),
                   f(3.0 / 6, 1.0));
  EXPECT_DOUBLE_EQ(corpus_chrf({"aab", "xyz"}, Lines{"ab", "x"}, {.char_order = 2}),
                   f((3.0 / 6 + 1.0 / 2) / 2, 1.0));
}

TEST(Chrf, TakesTheBestReference) {
  const double best = sentence_chrf("a small dog", {"the small dog"});
  EXPECT_LT(sentence_chrf("a small dog", {"two cats"}), best);
  EXPECT_DOUBLE_EQ(sentence_chrf("a small dog", {"two cats", "the small dog", ""}), best);
}

// The definition, with maps of lists of characters.
TEST(Chrf, IsItsDefinition) {
  std::mt19937 random(37);
  const std::string letters[] = {"a", "b", "\u00FC", "\u4E2D", "\U0001F600"};
  using Text = std::vector<std::string>;
  const auto make = [&](std::string& line) {
    Text characters;
    for (auto length = random() % 23; length > 0; --length) {
      characters.push_back(letters[random() % 5]);
      line += characters.back();
      if (random() % 5 == 0) line += random() % 2 == 0 ? " " : "\u00A0";
    }
    return characters;
  };
  const auto ngrams = [](const Text& text, std::size_t n) {
    std::map<Text, double> counts;
    for (std::size_t i = 0; i + n <= text.size(); ++i) {
      counts[Text(text.begin() + static_cast<std::ptrdiff_t>(i),
                  text.begin() + static_cast<std::ptrdiff_t>(i + n))] += 1;
    }
    return counts;
  };
  for (int round = 0; round < 97; ++round) {
    std::string system, reference;
    const Text a = make(system), b = make(reference);
    double precision = 0, recall = 0, orders = 0;
    for (std::size_t n = 1; n <= 6; ++n) {
      if (a.size() < n || b.size() < n) continue;
      double common = 0;
      auto of_reference = ngrams(b, n);
      for (const auto& [ngram, count] : ngrams(a, n)) {
        common += std::min(count, of_reference[ngram]);
      }
      precision += common / static_cast<double>(a.size() - n + 1);
      recall += common / static_cast<double>(b.size() - n + 1);
      orders += 1;
    }
    double want = 0;
    if (precision > 0) {
      precision /= orders;
      recall /= orders;
      want = 500 * precision * recall / (4 * precision + recall);
    }
    ASSERT_NEAR(sentence_chrf(system, {reference}), want, 1e-9) << system << "|" << reference;
  }
}

TEST(Chrf, Checks) {
  EXPECT_ERROR(ValueError, "chrf: there are no lines", corpus_chrf({}, Lines{}));
  EXPECT_ERROR(ValueError, "chrf: 1 lines, but references for 2",
               corpus_chrf(Lines{"a"}, Lines{"a", "b"}));
  EXPECT_ERROR(ValueError, "chrf: a line has no reference", sentence_chrf("a", {}));
  EXPECT_ERROR(ValueError, "chrf: char_order is 0 and word_order 0; needs 1 to 64 and 0 to 64",
               sentence_chrf("a", {"a"}, {.char_order = 0}));
  EXPECT_THROW(sentence_chrf("a", {"a"}, {.word_order = -1}), ValueError);
  EXPECT_THROW(sentence_chrf("a", {"a"}, {.char_order = Index{1} << 60}), ValueError);
  EXPECT_ERROR(ValueError, "chrf: beta is 0; needs to be above 0",
               sentence_chrf("a", {"a"}, {.beta = 0.0}));
  EXPECT_THROW(sentence_chrf("a", {"a"}, {.beta = std::nan("")}), ValueError);
}

}  // namespace
}  // namespace heed::train
