#include "../../../data/tokenizers/unicode.h"

#include <gtest/gtest.h>

#include "part.h"

namespace heed::data::tokenizers {
namespace {

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

std::string in_form(std::string_view from, NormalForm form) {
  Text text = characters(from);
  normalise(text, form);
  return utf8(text);
}

TEST(Unicode, WhiteSpaceIsUnicodes) {
  for (const char32_t code :
       {U'\t', U'\n', U'\v', U'\f', U'\r', U' ', U'\u0085', U'\u00A0', U'\u1680', U'\u2000',
        U'\u200A', U'\u2028', U'\u2029', U'\u202F', U'\u205F', U'\u3000'})
    EXPECT_TRUE(is_white(code)) << static_cast<int>(code);
  for (const char32_t code : {U'\b', U'\u000E', U'!', U'\u0086', U'\u1FFF', U'\u200B', U'\u2027',
                              U'\u202A', U'\u2060', U'\u3001', U'x'})
    EXPECT_FALSE(is_white(code)) << static_cast<int>(code);
}

// One character of each of Unicode's categories, and which of the questions it answers.
TEST(Unicode, CategoriesAreTold) {
  struct Case {
    char32_t code;
    const char*
        kinds;  // p: punctuation, m: mark, s: that takes no room, o: other, n: number, w: of a word
  };
  constexpr Case kCases[] = {
      {U'A', "w"},       {U'z', "w"},        {U'\u01C5', "w"},  {U'\u02B0', "w"},
      {U'\u4E2D', "w"},  {U'\u0301', "msw"}, {U'\u0903', "mw"}, {U'\u20DD', "mw"},
      {U'7', "nw"},      {U'\u2167', "nw"},  {U'\u00BD', "n"},  {U'_', "pw"},
      {U'-', "p"},       {U'(', "p"},        {U')', "p"},       {U'\u00AB', "p"},
      {U'\u00BB', "p"},  {U'!', "p"},        {U'+', ""},        {U'$', ""},
      {U'^', ""},        {U'\u00A9', ""},    {U' ', ""},        {U'\u2028', ""},
      {U'\u2029', ""},   {U'\u0001', "o"},   {U'\u00AD', "o"},  {U'\uE000', "o"},
      {U'\u200D', "ow"}, {U'\u200C', "ow"},  {U'\u200B', "o"}};
  for (const auto& [code, kinds] : kCases) {
    std::string own;
    if (is_punctuation(code)) own += 'p';
    if (is_mark(code)) own += 'm';
    if (is_spacing_free(code)) own += 's';
    if (is_other(code)) own += 'o';
    if (is_numeric(code)) own += 'n';
    if (is_word(code)) own += 'w';
    EXPECT_EQ(own, kinds) << static_cast<int>(code);
  }
}

TEST(Unicode, LettersInCirclesAndSquaresBelongToWords) {
  for (const auto& [first, last] : std::vector<std::pair<char32_t, char32_t>>{
           {0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}}) {
    EXPECT_TRUE(is_word(first) && is_word(last)) << static_cast<int>(first);
    EXPECT_FALSE(is_word(first - 1) || is_word(last + 1)) << static_cast<int>(first);
  }
}

TEST(Unicode, IdeographsAreThoseOfTheirBlocks) {
  for (const auto& [first, last] : std::vector<std::pair<char32_t, char32_t>>{{0x4E00, 0x9FFF},
                                                                              {0x3400, 0x4DBF},
                                                                              {0x20000, 0x2A6DF},
                                                                              {0x2A700, 0x2B81F},
                                                                              {0x2B920, 0x2CEAF},
                                                                              {0xF900, 0xFAFF},
                                                                              {0x2F800, 0x2FA1F}}) {
    EXPECT_TRUE(is_ideograph(first) && is_ideograph(last)) << static_cast<int>(first);
    EXPECT_FALSE(is_ideograph(first - 1) || is_ideograph(last + 1)) << static_cast<int>(first);
  }
  EXPECT_TRUE(is_ideograph(0x2B73F) && is_ideograph(0x2B740));
}

TEST(Unicode, FormsComposeAndTakeApart) {
  struct Case {
    std::string text, nfc, nfd, nfkc, nfkd;
  };
  const std::vector<Case> cases = {
      {"plain", "plain", "plain", "plain", "plain"},
      {"e\u0301", "\u00E9", "e\u0301", "\u00E9", "e\u0301"},
      {"\u00E9x", "\u00E9x", "e\u0301x", "\u00E9x", "e\u0301x"},
      {"\uFB01", "\uFB01", "\uFB01", "fi", "fi"},
      {"\u00A0", "\u00A0", "\u00A0", " ", " "},
      // Marks stand in the order of their classes: below before above.
      {"a\u0301\u0323", "\u1EA1\u0301", "a\u0323\u0301", "\u1EA1\u0301", "a\u0323\u0301"},
      {"a\u0301\u0323b\u0301\u0323", "\u1EA1\u0301\u1E05\u0301", "a\u0323\u0301b\u0323\u0301",
       "\u1EA1\u0301\u1E05\u0301", "a\u0323\u0301b\u0323\u0301"},
      {"\uD55C", "\uD55C", "\u1112\u1161\u11AB", "\uD55C", "\u1112\u1161\u11AB"},
      {"\u1112\u1161\u11AB", "\uD55C", "\u1112\u1161\u11AB", "\uD55C", "\u1112\u1161\u11AB"},
      {"\u1112\u1161\u11C2", "\uD573", "\u1112\u1161\u11C2", "\uD573", "\u1112\u1161\u11C2"},
      {"a\u0301\u0300", "\u00E1\u0300", "a\u0301\u0300", "\u00E1\u0300", "a\u0301\u0300"},
      {"a\u0300", "\u00E0", "a\u0300", "\u00E0", "a\u0300"},
      // A mark that never becomes one with a letter stands aside for one that does.
      {"a\u0316\u0301", "\u00E1\u0316", "a\u0316\u0301", "\u00E1\u0316", "a\u0316\u0301"},
      {"\u09C7\u09BE", "\u09CB", "\u09C7\u09BE", "\u09CB", "\u09C7\u09BE"},  // no marks of a class
      {"\u0958", "\u0915\u093C", "\u0915\u093C", "\u0915\u093C",
       "\u0915\u093C"},  // never put together
      {"\u1EA1\u0302", "\u1EAD", "a\u0323\u0302", "\u1EAD", "a\u0323\u0302"},
      {"", "", "", "", ""}};
  for (const Case& each : cases) {
    EXPECT_EQ(in_form(each.text, NormalForm::nfc), each.nfc) << each.text;
    EXPECT_EQ(in_form(each.text, NormalForm::nfd), each.nfd) << each.text;
    EXPECT_EQ(in_form(each.text, NormalForm::nfkc), each.nfkc) << each.text;
    EXPECT_EQ(in_form(each.text, NormalForm::nfkd), each.nfkd) << each.text;
  }
}

TEST(Unicode, FormsKeepWhereEachStands) {
  Text text = characters("xe\u0301y\u00E9");
  normalise(text, NormalForm::nfc);
  EXPECT_EQ(places(text), (Places{{0, 1}, {1, 4}, {4, 5}, {5, 7}}));
  normalise(text, NormalForm::nfd);
  EXPECT_EQ(places(text), (Places{{0, 1}, {1, 4}, {1, 4}, {4, 5}, {5, 7}, {5, 7}}));
  text = characters("\u4E2D\u6587\u0439");
  normalise(text, NormalForm::nfc);
  EXPECT_EQ(places(text), (Places{{0, 3}, {3, 6}, {6, 8}}));
}

TEST(Unicode, LettersBecomeSmall) {
  Text text = characters("\u00C9\u0130Z\u4E2D");
  lower(text);
  EXPECT_EQ(utf8(text), "\u00E9i\u0307z\u4E2D");
  EXPECT_EQ(places(text), (Places{{0, 2}, {2, 4}, {2, 4}, {4, 5}, {5, 8}}));
}

TEST(Unicode, GraphemesEndWhereTheStandardSays) {
  // A mark, a pair of flags, a family joined by U+200D, CR LF.
  const Text text =
      characters("e\u0301x\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7\U0001F468\u200D\U0001F467\r\n");
  std::vector<std::size_t> ends;
  for (std::size_t begin = 0; begin < text.size(); begin = ends.back())
    ends.push_back(grapheme_end(text, begin));
  EXPECT_EQ(ends, (std::vector<std::size_t>{2, 3, 5, 7, 10, 12}));
}

}  // namespace
}  // namespace heed::data::tokenizers
