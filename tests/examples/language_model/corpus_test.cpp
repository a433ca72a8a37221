#include "../../../examples/language_model/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace language_model {
namespace {

TEST(LanguageModelGenerated, TheSameSeedGivesTheSameTextAndPartsDiffer) {
  const CorpusOptions options{.path = "", .sentences = 211, .seed = 7};
  const Corpus a = load_corpus(options, data::TextLevel::words),
               b = load_corpus(options, data::TextLevel::words);
  EXPECT_EQ(a.train, b.train);
  EXPECT_EQ(a.validation, b.validation);
  EXPECT_FALSE(a.train.starts_with(a.validation));
  EXPECT_NE(a.train,
            load_corpus({.path = "", .sentences = 211, .seed = 8}, data::TextLevel::words).train);
  EXPECT_EQ(std::count(a.train.begin(), a.train.end(), '\n'), 211);
  EXPECT_EQ(std::count(a.validation.begin(), a.validation.end(), '\n'), 21);
}

}  // namespace
}  // namespace language_model
