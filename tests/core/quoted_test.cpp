// Foreign text in messages: one line of UTF-8, whatever comes.
#include "../../core/quoted.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../../core/utf8.h"

namespace heed {
namespace {

TEST(Quoted, LeavesPlainTextAlone) {
  EXPECT_EQ(in_quotes("words.weight"), "\"words.weight\"");
  EXPECT_EQ(in_quotes("Kinder, größer 今"), "\"Kinder, größer 今\"");
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(one_line("a \"b\" \\c"), "a \"b\" \\c");
  EXPECT_EQ(in_quotes("a \"b\" \\c"), "\"a \\\"b\\\" \\\\c\"");
}

TEST(Quoted, EscapesWhatEndsOrTurnsALine) {
  EXPECT_EQ(in_quotes("a\nb\tc\r"), "\"a\\nb\\tc\\r\"");
  EXPECT_EQ(in_quotes(std::string_view("\0\x1b[2J\x7f", 6)), "\"\\x00\\x1b[2J\\x7f\"");
  EXPECT_EQ(in_quotes("\u0085\u009b"), "\"\\x85\\x9b\"");
  EXPECT_EQ(in_quotes("a\u202eb\u2028c\u2066\u200f"),
            "\"a\\u{202e}b\\u{2028}c\\u{2066}\\u{200f}\"");
}

TEST(Quoted, EscapesWhatIsNotUtf8ByteByByte) {
  EXPECT_EQ(in_quotes("\xff\xc3(\xe4\xbb"), "\"\\xff\\xc3(\\xe4\\xbb\"");
  EXPECT_EQ(in_quotes("\xed\xa0\x80"), "\"\\xed\\xa0\\x80\"");  // a surrogate
}

TEST(Quoted, CutsBetweenCharacters) {
  std::string text(80, 'a');
  EXPECT_EQ(in_quotes(text), fmt::format("\"{}\"", text));
  const std::string most = text;
  text.push_back('a');
  EXPECT_EQ(in_quotes(text), fmt::format("\"{}...\" (81 bytes)", most));
  text.replace(79, 2, "ß");
  EXPECT_EQ(in_quotes(text), fmt::format("\"{}...\" (81 bytes)", text.substr(0, 79)));
}

TEST(Quoted, ListsTwentyTextsAndCountsTheOthers) {
  EXPECT_EQ(quoted_list({}), "");
  EXPECT_EQ(quoted_list({"a", "b\n"}), "\"a\", \"b\\n\"");
  const std::vector<std::string_view> many(23, "c");
  const std::string text = quoted_list(many);
  EXPECT_EQ(text.size(), 20 * 3 + 19 * 2 + 11);
  EXPECT_EQ(text.substr(text.size() - 14), "\"c\" and 3 more");
}

// Every byte, and every pair behind a lead of three bytes.
TEST(Quoted, GivesUtf8WithoutControlsForAnyBytes) {
  std::string all;
  for (int a = 0; a < 256; ++a) {
    all += static_cast<char>(a);
    for (int b = 0; b < 256; ++b) {
      all += '\xe2';
      all += static_cast<char>(a);
      all += static_cast<char>(b);
    }
  }
  const std::string shown = one_line(all);
  for (std::size_t at = 0; at < shown.size();) {
    const Decoded read = decode_utf8(shown, at);
    ASSERT_TRUE(read.valid) << at;
    ASSERT_TRUE(read.code >= 0x20 && !(read.code >= 0x7F && read.code < 0xA0)) << at;
    at += read.length;
  }
  EXPECT_EQ(one_line(shown), shown);
}

TEST(Quoted, MessagesOfAllErrorsAreOneLine) {
  EXPECT_STREQ(ValueError("a\nb").what(), "a\\nb");
  EXPECT_STREQ(FormatError("x\ny", 3, "z\xff").what(), "x\\ny: at byte 3: z\\xff");
  EXPECT_EQ(FormatError("x\ny", 3, "z").path(), "x\ny");
  EXPECT_STREQ(IoError("\x1b[2J", "cannot open", 2).what(),
               "\\x1b[2J: cannot open: No such file or directory");
}

// The neighbours of what is escaped are shown.
TEST(Quoted, EscapesNoMoreThanItMust) {
  EXPECT_EQ(one_line("\x1f \x7e\x7f"), "\\x1f ~\\x7f");
  EXPECT_EQ(one_line("\u009f\u00a0"), "\\x9f\u00a0");
  EXPECT_EQ(one_line("\u2027\u2028\u2029\u202a\u202e\u202f"),
            "\u2027\\u{2028}\\u{2029}\\u{202a}\\u{202e}\u202f");
  EXPECT_EQ(one_line("\u200d\u200e\u200f\u2010"), "\u200d\\u{200e}\\u{200f}\u2010");
  EXPECT_EQ(one_line("\u2065\u2066\u2069\u206a"), "\u2065\\u{2066}\\u{2069}\u206a");
}

TEST(Quoted, ListsFewerOfLongTexts) {
  const std::vector<std::string_view> many(23, "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01");
  EXPECT_EQ(quoted_list(many).substr(0, 44), in_quotes(many[0]) + ", ");
  const std::string line(5003, '\x01');
  const std::vector<std::string_view> lines(7, line);
  const std::string text = quoted_list(lines);
  EXPECT_LT(text.size(), 1400U);
  EXPECT_TRUE(text.ends_with("...\" (5003 bytes) and 4 more")) << text;
}

TEST(Quoted, HasShortTextsWithoutQuotes) {
  EXPECT_EQ(in_short("a \"b\"\n"), "a \"b\"\\n");
  EXPECT_EQ(in_short(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(in_short(std::string(81, 'a')), in_quotes(std::string(81, 'a')));
}

TEST(Quoted, ListsAllOfTwenty) {
  const std::vector<std::string_view> twenty(20, "c");
  EXPECT_EQ(quoted_list(twenty).find("more"), std::string::npos);
  const std::vector<std::string_view> more(21, "c");
  EXPECT_NE(quoted_list(more).find("\"c\" and 1 more"), std::string::npos);
}

}  // namespace
}  // namespace heed
