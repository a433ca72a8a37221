#include "../../data/utf8.h"

#include <gtest/gtest.h>

#include "../../data/tokenizers/unicode.h"

namespace heed::data {
namespace {

TEST(Utf8, WritesAndReadsEveryCodePoint) {
  for (char32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 7) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, code);
    const Decoded read = decode_utf8(text, 0);
    ASSERT_TRUE(read.valid) << std::hex << static_cast<unsigned>(code);
    ASSERT_EQ(read.code, code);
    ASSERT_EQ(read.length, text.size());
  }
}

TEST(Utf8, WritesTheReplacementForWhatIsNoCharacter) {
  std::string text;
  append_utf8(text, 0xD800);
  append_utf8(text, 0x110000);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

TEST(Utf8, RepairsEachMaximalInvalidPieceOnce) {
  EXPECT_EQ(repair_utf8("caf\xE9!"), "caf\uFFFD!");
  EXPECT_EQ(repair_utf8("\xC3"), "\uFFFD");  // cut short
  EXPECT_EQ(repair_utf8("\xE4\xBD"
                        "a"),
            "\uFFFD"
            "a");                                                          // two of three bytes
  EXPECT_EQ(repair_utf8("\xC0\xAF"), "\uFFFD\uFFFD");                      // an overlong slash
  EXPECT_EQ(repair_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(repair_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
  EXPECT_EQ(repair_utf8("\xF0\x9F\x98\x80"), "😀");
  EXPECT_FALSE(is_valid_utf8("a\x80"));
  EXPECT_TRUE(is_valid_utf8("aé你😀"));
  EXPECT_TRUE(is_valid_utf8(""));
}

TEST(Utf8, LowersTheCommonAlphabets) {
  const auto lower = [](const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const Decoded c = decode_utf8(text, at);
      append_utf8(out, to_lower(c.code));
      at += c.length;
    }
    return out;
  };
  EXPECT_EQ(lower("AZaz09[@"), "azaz09[@");
  EXPECT_EQ(lower("ÀÖØÞ×ßÿŸ"), "àöøþ×ßÿÿ");
  EXPECT_EQ(lower("ĀĶĹŇŊŶŹŽıĸŉ"), "āķĺňŋŷźžıĸŉ");
  EXPECT_EQ(lower("ΑΡΣΫΆΈΊΌΎΏς"), "αρσϋάέίόύώς");
  EXPECT_EQ(lower("АЯЀЏҐӁӀӐабя"), "аяѐџґӂӏӑабя");
  EXPECT_EQ(lower("ẀỆ"), "ẁệ");
  EXPECT_EQ(lower("Ａ你"), "ａ你");
}

// As Unicode has it, within the alphabets that are promised; others stay as they are.
TEST(Utf8, LowersEachLetterOfThem) {
  const std::pair<char32_t, char32_t> alphabets[] = {
      {0, 0x17F}, {0x386, 0x3CE}, {0x400, 0x52F}, {0x1E00, 0x1EFF}, {0xFF00, 0xFF5E}};
  for (const auto& [first, last] : alphabets) {
    for (char32_t code = first; code <= last; ++code) {
      if (code == 0x130 || (code >= 0x1E96 && code <= 0x1E9F)) continue;
      tokenizers::Text text = {{code, 0, 1}};
      tokenizers::lower(text);
      EXPECT_EQ(to_lower(code), text[0].code) << std::hex << static_cast<unsigned>(code);
    }
  }
  EXPECT_EQ(to_lower(0x130), U'i');
  for (const char32_t code : {0x180, 0x24F, 0x385, 0x3CF, 0x3E2, 0x530, 0x531, 0x1DFF, 0x1E9E,
                              0x1F08, 0x2160, 0xFF3B, 0x10400}) {
    EXPECT_EQ(to_lower(code), code) << std::hex << static_cast<unsigned>(code);
  }
}

TEST(Utf8, ClassifiesCharacters) {
  for (const char32_t c : U" \t\n\u0000\u0085\u00A0\u00AD\u2003\u200B\u2028\u3000\uFEFF\uFE0F") {
    EXPECT_EQ(classify(c), CharClass::space) << static_cast<unsigned>(c);
  }
  for (const char32_t c : std::u32string_view(U"aZ09éßΩжשعहกᄀ한²ªµ\u0301Ａ９")) {
    EXPECT_EQ(classify(c), CharClass::word) << static_cast<unsigned>(c);
  }
  for (const char32_t c : std::u32string_view(U"你々〇あアー豈𠀀ﾊ")) {
    EXPECT_EQ(classify(c), CharClass::alone) << static_cast<unsigned>(c);
  }
  for (const char32_t c : std::u32string_view(U"!/@[`~£«»×–’…€™→。，「！？😀\uFFFD")) {
    EXPECT_EQ(classify(c), CharClass::symbol) << static_cast<unsigned>(c);
  }
  EXPECT_TRUE(is_blank(" \t\u3000"));
  EXPECT_TRUE(is_blank(""));
  EXPECT_FALSE(is_blank(" . "));
}

}  // namespace
}  // namespace heed::data
