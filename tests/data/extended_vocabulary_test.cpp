#include "../../data/extended_vocabulary.h"

#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

using Words = std::vector<std::string>;

TEST(ExtendedVocabulary, NumbersTheWordsOfTheSourceBehindItsOwn) {
  const Vocabulary known(Words{"the", "man"});
  const ExtendedVocabulary words(known, {"zora", "the", "obi", "zora", "man"});
  EXPECT_EQ(words.size(), 6);
  EXPECT_EQ(words.ids({"zora", "the", "obi", "zora", "man", "ula"}),
            (std::vector<Index>{4, 2, 5, 4, 3, Vocabulary::kUnknown}));
  EXPECT_EQ(words.word(4), "zora");
  EXPECT_EQ(words.word(5), "obi");
  EXPECT_EQ(words.word(2), "the");
  EXPECT_EQ(words.word(0), "<pad>");
}

TEST(ExtendedVocabulary, WithoutWordsItIsTheVocabulary) {
  const Vocabulary known(Words{"the"});
  EXPECT_EQ(ExtendedVocabulary(known, {}).size(), 3);
  EXPECT_EQ(ExtendedVocabulary(known, {"the", "the"}).size(), 3);
}

// What is called as a special word is that word: a source cannot make another.
TEST(ExtendedVocabulary, SpecialWordsAreKnown) {
  const Vocabulary known(Words{"the"});
  const ExtendedVocabulary words(known, {"<unk>", "<pad>", "a"});
  EXPECT_EQ(words.ids({"<unk>", "<pad>", "a"}), (std::vector<Index>{1, 0, 3}));
}

TEST(ExtendedVocabulary, RefusesNumbersThatAreNone) {
  const Vocabulary known(Words{"the"});
  const ExtendedVocabulary words(known, {"a"});
  EXPECT_ERROR_WITH(IndexError, "number 4 of 4 words, 1 of them of the source", words.word(4));
  EXPECT_ERROR_WITH(IndexError, "-1", words.word(-1));
}

}  // namespace
}  // namespace heed::data
