#include "../../data/text_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"

namespace heed::data {
namespace {

using testing::ElementsAre;

TEST(TextLevels, CharactersAndWordsComeBack) {
  const std::string text = "the cat\nä cat \n";
  EXPECT_THAT(tokens_of(text, TextLevel::words), ElementsAre("the", "cat", "\n", "ä", "cat", "\n"));
  EXPECT_EQ(tokens_of(text, TextLevel::characters).size(), 15u);
  for (const TextLevel level : {TextLevel::characters, TextLevel::words}) {
    const Vocabulary vocabulary = vocabulary_of(text, level, 0);
    EXPECT_TRUE(vocabulary.contains("<eos>"));
    EXPECT_EQ(vocabulary.size(), level == TextLevel::words ? 6 : 10);
    EXPECT_EQ(decode(encode(text, level, vocabulary), level, vocabulary),
              level == TextLevel::words ? "the cat\nä cat\n" : text);
  }
  const Vocabulary two = vocabulary_of("<unk> a b a\n", TextLevel::words, 2);
  EXPECT_THAT(
      encode("<unk> a zebra\n", TextLevel::words, two),
      ElementsAre(Vocabulary::kUnknown, two.id("a"), Vocabulary::kUnknown, two.id("<eos>")));
}

TEST(TextLevels, HaveNames) {
  for (const char* level : {"char", "word"}) EXPECT_STREQ(name(text_level(level)), level);
  EXPECT_THROW(text_level("line"), ValueError);
}

}  // namespace
}  // namespace heed::data
