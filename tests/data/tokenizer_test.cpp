#include "../../data/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Tokenizer, SplitsEnglishIntoWordsAndPunctuation) {
  EXPECT_THAT(tokenize("The film's GREAT (really): \"see it\", 100%!"),
              ElementsAre("the", "film's", "great", "(", "really", ")", ":", "\"", "see", "it",
                          "\"", ",", "100", "!"));
  EXPECT_THAT(tokenize("good<br /><br />Bad <i>ugly</i> <sigh>"),
              ElementsAre("good", "bad", "ugly", "sigh"));
  EXPECT_THAT(tokenize(""), IsEmpty());
  EXPECT_THAT(tokenize(" \t\r\n $%& <br>"), IsEmpty());
}

// [a-z0-9']+|[!?.,;:()"-] on the lower-cased text, spelled out.
std::vector<std::string> match_ascii(std::string_view text) {
  std::vector<std::string> out;
  bool in_word = false;
  for (const char written : text) {
    const char c = static_cast<char>(written >= 'A' && written <= 'Z' ? written + 32 : written);
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'';
    if (word && in_word) {
      out.back().push_back(c);
    } else if (word || std::string_view("!?.,;:()\"-").find(c) != std::string_view::npos) {
      out.emplace_back(1, c);
    }
    in_word = word;
  }
  return out;
}

TEST(Tokenizer, FollowsItsRegularExpressionOnAscii) {
  std::string all;  // every pair of ASCII characters but those that might begin a tag
  for (char a = 1; a < 127; ++a) {
    for (char b = 1; b < 127; ++b) {
      if (a != '<' && b != '<') all += {a, b, ' '};
    }
  }
  EXPECT_EQ(tokenize(all), match_ascii(all));
}

TEST(Tokenizer, SplitsChineseIntoCharacters) {
  EXPECT_THAT(tokenize("我喜欢Heed，真的！"),
              ElementsAre("我", "喜", "欢", "heed", "，", "真", "的", "！"));
  EXPECT_THAT(tokenize("2024年　“好”"), ElementsAre("2024", "年", "“", "好", "”"));
}

TEST(Tokenizer, ReadsOtherScripts) {
  EXPECT_THAT(tokenize("CAFÉ Привет ΑΒΓ Žižek 안녕 ペン 😀£5"),
              ElementsAre("café", "привет", "αβγ", "žižek", "안녕", "ペ", "ン", "😀", "£", "5"));
  // The typographer's apostrophe inside a word is the plain one; elsewhere it is a quote.
  EXPECT_THAT(tokenize("Don’t ‘say’ it’"), ElementsAre("don't", "‘", "say", "’", "it", "’"));
  EXPECT_THAT(tokenize("'’a"), ElementsAre("'", "’", "a"));  // as when a sentence ends between them
}

TEST(Tokenizer, ReadsInvalidBytesAsTheReplacement) {
  EXPECT_THAT(tokenize("caf\xE9 ok\xC3"), ElementsAre("caf", "\uFFFD", "ok", "\uFFFD"));
}

TEST(Tokenizer, CutsLongWords) {
  const auto tokens = tokenize_with_places("a " + std::string(100000, 'X') + " b");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[1].text, std::string(kLongestWord, 'x'));
  EXPECT_EQ(tokens[1].begin, 2U);
  EXPECT_EQ(tokens[1].end, 100002U);
  std::string accented;
  for (int i = 0; i < 67; ++i) accented += "é";
  EXPECT_EQ(tokenize(accented).at(0), accented.substr(0, 2 * kLongestWord));
}

TEST(Tokenizer, SurvivesAnyBytes) {
  std::string text;
  for (unsigned i = 0; i < 20011; ++i)
    text.push_back(static_cast<char>((i * i * 167 + i / 7) % 256));
  std::size_t at = 0;
  for (const Token& token : tokenize_with_places(text)) {
    ASSERT_LE(at, token.begin);
    ASSERT_LT(token.begin, token.end);
    at = token.end;
  }
  EXPECT_GT(at, text.size() - 101);
  EXPECT_LE(at, text.size());
}

TEST(Tokenizer, GivesThePlacesInTheOriginal) {
  const std::string text = "Ünder <b>the</b>\n大海.";
  const auto tokens = tokenize_with_places(text);
  std::vector<std::string> originals, words;
  for (const Token& token : tokens) {
    originals.push_back(text.substr(token.begin, token.end - token.begin));
    words.push_back(token.text);
  }
  EXPECT_THAT(originals, ElementsAre("Ünder", "the", "大", "海", "."));
  EXPECT_EQ(words, tokenize(text));
}

}  // namespace
}  // namespace heed::data
