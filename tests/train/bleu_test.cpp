#include "../../train/bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::ElementsAre;
using Lines = std::vector<std::string>;
using References = std::vector<std::vector<std::string>>;

const Lines kDogs = {"The dog bit the man.", "It wasn't surprising.",
                     "The man had just bitten him."};
const References kDogReferences = {{"The dog bit the man.", "The dog had bit the man."},
                                   {"It was not unexpected.", "No one was surprised."},
                                   {"The man bit him first.", "The man had bitten the dog."}};

// The example of sacreBLEU's manual, and the numbers of its own tests.
TEST(Bleu, ExampleOfSacrebleu) {
  const BleuOptions split{.tokens = BleuTokens::mteval_13a};
  const Bleu bleu = corpus_bleu(kDogs, kDogReferences, split);
  EXPECT_NEAR(bleu.score, 48.530827, 1e-6);
  EXPECT_EQ(bleu.to_string(),
            "48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
  EXPECT_EQ(
      corpus_bleu(kDogs,
                  Lines{"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
                  split)
          .to_string(),
      "45.07 70.6/42.9/36.4/37.5 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)");
  EXPECT_EQ(corpus_bleu(kDogs, kDogs, split).to_string(),
            "100.00 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 17 ref_len = 17)");
  EXPECT_NEAR(corpus_bleu(kDogs, kDogReferences).score, 49.1919566, 1e-6);
  EXPECT_NEAR(corpus_bleu(kDogs, kDogReferences,
                          {.tokens = BleuTokens::mteval_13a, .smoothing = BleuSmoothing::none})
                  .score,
              48.530827, 1e-6);
  EXPECT_EQ(corpus_bleu({"", "", ""}, kDogReferences).score, 0.0);
}

// Where no blanks stand between words; blanks of all widths count for nothing.
TEST(Bleu, OfCharacters) {
  const BleuOptions characters{.tokens = BleuTokens::characters};
  EXPECT_EQ(tokenize_characters(" 我爱\u3000é b\xff"), "我 爱 é b \uFFFD");
  // What takes no room is no white space.
  EXPECT_EQ(tokenize_characters("a\u200D\u00ADb\uFE0F\u2028c"), "a \u200D \u00AD b \uFE0F c");
  const Bleu bleu = corpus_bleu({"我喜欢吃苹果"}, Lines{"我 喜欢 吃梨"}, characters);
  EXPECT_THAT(bleu.counts, ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(bleu.totals, ElementsAre(6, 5, 4, 3));
  EXPECT_EQ(bleu.reference_length, 5);
  EXPECT_EQ(corpus_bleu({"我喜欢"}, Lines{"我 喜欢"}).counts[0], 0);
}

// Tests of sacreBLEU, of single sentences.
TEST(Bleu, SmoothingsOfSacrebleu) {
  const std::string system =
      "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;";
  const Lines reference = {"producţia de zahăr brut se exprimă în zahăr alb;"};
  const auto score = [&](BleuSmoothing smoothing, std::optional<double> value = {},
                         bool split = true) {
    return sentence_bleu(system, reference,
                         {.tokens = split ? BleuTokens::mteval_13a : BleuTokens::given,
                          .smoothing = smoothing,
                          .smooth_value = value})
        .score;
  };
  EXPECT_NEAR(score(BleuSmoothing::exp), 8.493, 1e-3);
  EXPECT_NEAR(score(BleuSmoothing::exp, {}, false), 7.347, 1e-3);
  EXPECT_EQ(score(BleuSmoothing::none), 0.0);
  EXPECT_NEAR(score(BleuSmoothing::floor), 4.51688, 1e-3);
  EXPECT_NEAR(score(BleuSmoothing::floor, 0.1), 4.51688, 1e-3);
  EXPECT_NEAR(score(BleuSmoothing::floor, 0.5), 10.10, 1e-3);
  EXPECT_NEAR(score(BleuSmoothing::add_k), 14.882, 1e-3);
  EXPECT_NEAR(score(BleuSmoothing::add_k, 1.0), 14.882, 1e-3);
  EXPECT_NEAR(score(BleuSmoothing::add_k, 2.0), 21.389, 1e-3);
  // Without one word in common no smoothing helps.
  for (const BleuSmoothing smoothing :
       {BleuSmoothing::exp, BleuSmoothing::none, BleuSmoothing::floor, BleuSmoothing::add_k}) {
    EXPECT_EQ(sentence_bleu("this is a cat", {"okay thanks"}, {.smoothing = smoothing}).score, 0.0);
  }
}

TEST(Bleu, EffectiveOrderOfSacrebleu) {
  const BleuOptions floor{.smoothing = BleuSmoothing::floor, .smooth_value = 0.01};
  EXPECT_NEAR(sentence_bleu("this is a fest", {"this is a test"}, floor).score, 22.3606797749979,
              1e-8);
  EXPECT_NEAR(sentence_bleu("test", {"a test"}, floor).score, 36.78794411714425, 1e-8);
  EXPECT_NEAR(sentence_bleu("a test", {"a test"}, floor).score, 100.0, 1e-8);
  EXPECT_NEAR(sentence_bleu("a little test", {"a test"}, floor).score, 3.218297948685433, 1e-8);
  const Bleu bleu =
      sentence_bleu("am I am a character sequence", {"I am a symbol string sequence a a"},
                    {.smoothing = BleuSmoothing::floor});
  EXPECT_THAT(bleu.counts, ElementsAre(4, 2, 1, 0));
  EXPECT_THAT(bleu.totals, ElementsAre(6, 5, 4, 3));
  EXPECT_NEAR(bleu.score, 15.55722182, 1e-8);
  // A corpus of short lines has no 4-grams, and all orders count there.
  EXPECT_EQ(corpus_bleu({"a test"}, Lines{"a test"}).score, 0.0);
}

TEST(Bleu, CountsOfSacrebleu) {
  const auto score = [](std::array<Index, 4> counts, std::array<Index, 4> totals, Index system,
                        Index reference, double floor) {
    return bleu_of_counts({.counts = counts,
                           .totals = totals,
                           .system_length = system,
                           .reference_length = reference},
                          {.smoothing = BleuSmoothing::floor, .smooth_value = floor})
        .score;
  };
  EXPECT_NEAR(score({9, 7, 5, 3}, {10, 8, 6, 4}, 11, 11, 0.0), 83.75922397, 1e-6);
  EXPECT_EQ(score({0, 0, 0, 0}, {4, 4, 2, 1}, 0, 1, 0.0), 0.0);
  EXPECT_EQ(score({0, 0, 0, 0}, {10, 11, 12, 0}, 14, 10, 0.0), 0.0);
  EXPECT_EQ(score({0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, 0.0), 0.0);
  EXPECT_EQ(score({6, 5, 4, 0}, {6, 5, 4, 3}, 6, 6, 0.0), 0.0);
  EXPECT_EQ(score({0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, 0.1), 0.0);
  EXPECT_EQ(score({0, 0, 0, 0}, {0, 0, 0, 0}, 1, 5, 0.01), 0.0);
}

// The worked examples of Papineni et al. 2002, section 2.
TEST(Bleu, ExamplesOfThePaper) {
  const Lines guides = {
      "It is a guide to action that ensures that the military will forever heed Party commands",
      "It is the guiding principle which guarantees the military forces always being under the "
      "command of the Party",
      "It is the practical guide for the army always to heed the directions of the party"};
  const Bleu first = sentence_bleu(
      "It is a guide to action which ensures that the military always obeys the commands of the "
      "party",
      guides);
  EXPECT_EQ(first.counts[0], 17);
  EXPECT_EQ(first.totals[0], 18);
  EXPECT_EQ(first.counts[1], 10);
  EXPECT_EQ(first.totals[1], 17);
  const Bleu second = sentence_bleu(
      "It is to insure the troops forever hearing the activity guidebook that party direct",
      guides);
  EXPECT_EQ(second.counts[0], 8);
  EXPECT_EQ(second.totals[0], 14);
  EXPECT_EQ(second.counts[1], 1);
  EXPECT_EQ(second.totals[1], 13);
  EXPECT_GT(first.score, second.score);

  const Bleu the = sentence_bleu("the the the the the the the",
                                 {"the cat is on the mat", "there is a cat on the mat"});
  EXPECT_EQ(the.counts[0], 2);
  EXPECT_EQ(the.totals[0], 7);
  EXPECT_EQ(the.counts[1], 0);

  const Bleu of_the = sentence_bleu("of the", guides);
  EXPECT_THAT(of_the.counts, ElementsAre(2, 1, 0, 0));
  EXPECT_THAT(of_the.totals, ElementsAre(2, 1, 0, 0));
}

TEST(Bleu, TakesTheNearestReferenceThenTheShorter) {
  const auto length = [](const std::string& system, const Lines& references) {
    return sentence_bleu(system, references).reference_length;
  };
  EXPECT_EQ(length("a b c d e", {"a", "a b c d", "a b c d e f g"}), 4);
  EXPECT_EQ(length("a b c d e", {"a b c d e f g", "a b c"}), 3);
  EXPECT_EQ(length("a b c d e", {"a b c", "a b c d e f g"}), 3);
  EXPECT_EQ(length("a b c d e", {"a b c d e f", "a b c"}), 6);
  EXPECT_EQ(length("a b", {"", "a b c d e"}), 0);  // an empty reference is one like others
  EXPECT_DOUBLE_EQ(sentence_bleu("a b c d e", {"a b c d e f g"}).brevity_penalty,
                   std::exp(1 - 7.0 / 5));
  EXPECT_EQ(sentence_bleu("", {"a b"}).brevity_penalty, 0.0);
  EXPECT_EQ(sentence_bleu("", {""}).brevity_penalty, 1.0);
  EXPECT_EQ(sentence_bleu("", {""}).score, 0.0);
}

// The definition, with maps of lists of words.
using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::map<Words, Index> ngrams_of(const Words& words, std::size_t n) {
  std::map<Words, Index> counts;
  for (std::size_t i = 0; i + n <= words.size(); ++i) {
    ++counts[Words(words.begin() + static_cast<std::ptrdiff_t>(i),
                   words.begin() + static_cast<std::ptrdiff_t>(i + n))];
  }
  return counts;
}

TEST(Bleu, IsItsDefinition) {
  std::mt19937 random(29);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const auto sentence = [&] {
    static const std::string kBlanks[] = {" ", "  ", "\t", "\u00A0", "\u3000"};
    std::string line = below(3) == 0 ? " " : "";
    for (unsigned length = below(17); length > 0; --length) {
      // Numbers of several lengths, so that "1 11" and "11 1" must differ.
      line += std::string(1 + below(3), static_cast<char>('1' + below(3)));
      line += below(5) == 0 ? kBlanks[below(5)] : " ";
    }
    return line;
  };
  // The reference below reads ASCII blanks only.
  const auto plain = [](std::string line) {
    for (const std::string blank : {"\u00A0", "\u3000"}) {
      for (std::size_t at; (at = line.find(blank)) != std::string::npos;) {
        line.replace(at, blank.size(), " ");
      }
    }
    return words_of(line);
  };
  for (int round = 0; round < 53; ++round) {
    Lines systems;
    References references;
    std::array<Index, 4> counts{}, totals{};
    Index system_length = 0, reference_length = 0;
    for (unsigned line = 0; line < 1 + below(7); ++line) {
      systems.push_back(sentence());
      references.emplace_back();
      for (unsigned i = 0; i < 1 + below(3); ++i) references.back().push_back(sentence());
      const std::size_t length = plain(systems.back()).size();
      std::set<std::pair<std::size_t, std::size_t>> lengths;  // by distance, then length
      for (const std::string& reference : references.back()) {
        const std::size_t other = plain(reference).size();
        lengths.emplace(other > length ? other - length : length - other, other);
      }
      system_length += static_cast<Index>(length);
      reference_length += static_cast<Index>(lengths.begin()->second);
      for (std::size_t n = 1; n <= 4; ++n) {
        for (const auto& [ngram, count] : ngrams_of(plain(systems.back()), n)) {
          Index most = 0;
          for (const std::string& reference : references.back()) {
            most = std::max(most, ngrams_of(plain(reference), n)[ngram]);
          }
          counts[n - 1] += std::min(count, most);
          totals[n - 1] += count;
        }
      }
    }
    const Bleu bleu = corpus_bleu(systems, references, {.smoothing = BleuSmoothing::none});
    ASSERT_EQ(bleu.counts, counts);
    ASSERT_EQ(bleu.totals, totals);
    ASSERT_EQ(bleu.system_length, system_length);
    ASSERT_EQ(bleu.reference_length, reference_length);
    const double penalty =
        static_cast<double>(reference_length) / static_cast<double>(system_length);
    double product = penalty > 1 ? std::exp(1 - penalty) : 1.0;
    for (std::size_t i = 0; i < 4; ++i) {
      product *=
          totals[i] == 0
              ? 0.0
              : std::pow(static_cast<double>(counts[i]) / static_cast<double>(totals[i]), 0.25);
    }
    ASSERT_NEAR(bleu.score, 100 * product, 1e-9);
  }
}

TEST(Bleu, Splits13a) {
  const auto expect = [](const std::string& line, const std::string& split) {
    EXPECT_EQ(tokenize_13a(line), split) << line;
  };
  expect("", "");
  expect(" \t ", "");
  expect("It wasn't surprising.", "It wasn't surprising .");
  expect("\"Yes\", (she) said: 1,234.56 -- or 7-8?",
         "\" Yes \" , ( she ) said : 1,234.56 -- or "
         "7 - 8 ?");
  expect("well-known, 3. and .5", "well-known , 3 . and . 5");
  expect("a&amp;b &lt;i&gt; &quot;x&quot; &amp;lt;", "a & b < i > \" x \" <");
  expect("one<skipped> two-\nthree\nfour-\n", "one twothree four-");
  expect("Größe: 5€.", "Größe : 5€ .");
}

// The standard's own four substitutions, on random text.
TEST(Bleu, Splits13aAsItsExpressionsDo) {
  const std::regex marks("([\\{-\\~\\[-` -\\&\\(-\\+\\:-@\\/])"), after_other("([^0-9])([\\.,])"),
      before_other("([\\.,])([^0-9])"), after_digit("([0-9])(-)");
  std::mt19937 random(31);
  for (int round = 0; round < 211; ++round) {
    std::string line;
    for (int i = 0; i < 41; ++i) {
      line += random() % 2 == 0 ? "a1.,- '"[random() % 7] : static_cast<char>(33 + random() % 94);
    }
    if (line.find('&') != std::string::npos || line.find("<skipped>") != std::string::npos)
      continue;
    std::string want = " " + line.substr(0, line.find_last_not_of(' ') + 1) + " ";
    want = std::regex_replace(want, marks, " $1 ");
    want = std::regex_replace(want, after_other, "$1 $2 ");
    want = std::regex_replace(want, before_other, " $1 $2");
    want = std::regex_replace(want, after_digit, "$1 $2 ");
    ASSERT_EQ(words_of(tokenize_13a(line)), words_of(want)) << line;
  }
}

TEST(Bleu, BytesThatAreNoTextAreWords) {
  EXPECT_DOUBLE_EQ(sentence_bleu("\xFF \xC3 b c", {"\xFF \xC3 b c"}).score, 100.0);
  EXPECT_EQ(sentence_bleu("\xFF\xFE", {"\xFE\xFF"}).counts[0], 0);
}

TEST(Bleu, ALineOfTenThousandWords) {
  std::string line;
  for (int i = 0; i < 10007; ++i) line += i % 2 == 0 ? "a " : "b ";
  const Bleu bleu = corpus_bleu({line}, Lines{line});
  EXPECT_THAT(bleu.counts, ElementsAre(10007, 10006, 10005, 10004));
  EXPECT_DOUBLE_EQ(bleu.score, 100.0);
}

TEST(Bleu, Checks) {
  EXPECT_ERROR(ValueError, "bleu: there are no lines", corpus_bleu({}, Lines{}));
  EXPECT_ERROR(ValueError, "bleu: 3 lines, but references for 2",
               corpus_bleu(Lines{"a", "b", "c"}, Lines{"a", "b"}));
  EXPECT_ERROR(ValueError, "bleu: a line has no reference",
               corpus_bleu(Lines{"a", "b"}, References{{"a"}, {}}));
  EXPECT_ERROR(ValueError, "bleu: a line has no reference", sentence_bleu("a", {}));
  EXPECT_ERROR(ValueError, "bleu: the smooth value is -1; needs at least 0",
               sentence_bleu("a", {"a"}, {.smooth_value = -1.0}));
  EXPECT_THROW(
      sentence_bleu("a", {"a"}, {.smooth_value = std::numeric_limits<double>::quiet_NaN()}),
      ValueError);
  EXPECT_ERROR(ValueError, "bleu: counts are at least 0 and at most the totals",
               bleu_of_counts({.counts = {2, 0, 0, 0}, .totals = {1, 0, 0, 0}}));
  EXPECT_THROW(bleu_of_counts({.system_length = -1}), ValueError);
}

}  // namespace
}  // namespace heed::train
