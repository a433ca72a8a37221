#include "../../../data/generated/opinions.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "../../../core/error.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

TEST(GeneratedOpinions, EachSentenceHasAnAspectAndAnOpinion) {
  Generator generator(3), same(3), other(4);
  const auto sentences = tell_opinions(211, generator);
  ASSERT_EQ(sentences.size(), 211U);
  EXPECT_EQ(sentences[210].line, 211U);
  for (const TaggedSentence& sentence : sentences) {
    for (const auto& tags : sentence.tags) {
      ASSERT_EQ(tags.size(), sentence.words.size());
      EXPECT_EQ(std::count(tags.begin(), tags.end(), "B"), 1);
    }
    for (std::size_t i = 0; i < sentence.words.size(); ++i) {
      EXPECT_TRUE(sentence.tags[0][i] == "O" || sentence.tags[1][i] == "O");
      EXPECT_NE(sentence.tags[1][i], "I");
    }
  }
  EXPECT_EQ(tell_opinions(211, same)[210].words, sentences[210].words);
  EXPECT_NE(tell_opinions(211, other)[210].words, sentences[210].words);
  EXPECT_TRUE(tell_opinions(0, other).empty());
  EXPECT_ERROR(ValueError, "opinions: -1 sentences cannot be told", tell_opinions(-1, other));
}

// Of each word that is a term somewhere about as many are none: no list of words tells terms.
TEST(GeneratedOpinions, NoWordIsATermByItself) {
  Generator generator(5);
  std::map<std::string, int> terms, others;
  std::set<std::string> inside;
  for (const TaggedSentence& sentence : tell_opinions(3001, generator)) {
    for (std::size_t i = 0; i < sentence.words.size(); ++i) {
      const bool term = sentence.tags[0][i] != "O" || sentence.tags[1][i] != "O";
      ++(term ? terms : others)[sentence.words[i]];
      if (sentence.tags[0][i] == "I") inside.insert(sentence.words[i]);
    }
  }
  EXPECT_GT(terms.size(), 70U);
  for (const auto& [word, count] : terms) {
    EXPECT_GT(others[word], count) << word;
    EXPECT_LT(others[word], 3 * count) << word;
  }
  EXPECT_TRUE(inside.contains("rolls"));
}

}  // namespace
}  // namespace heed::data
