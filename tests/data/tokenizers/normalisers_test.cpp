#include "../../../data/tokenizers/normalisers.h"

#include <gtest/gtest.h>

#include <set>

#include "../../../core/error.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

Text normalised(const std::string& json, std::string_view from) {
  Text text = characters(from);
  part(json, read_normaliser)(text);
  return text;
}
std::string by(const std::string& json, std::string_view from) {
  return utf8(normalised(json, from));
}

TEST(Normalisers, HaveTextsOfLessThanFourGigabytes) {
  const std::string_view endless("", std::size_t{1} << 32);  // of which no byte is looked at
  EXPECT_ERROR(ValueError, "tokenizer: a text of 4 GB or more", characters(endless));
}

TEST(Normalisers, HaveUnicodesForms) {
  EXPECT_EQ(by("null", "e\u0301\uFB01"), "e\u0301\uFB01");
  EXPECT_EQ(by(R"({"type": "NFC"})", "e\u0301\uFB01"), "\u00E9\uFB01");
  EXPECT_EQ(by(R"({"type": "NFD"})", "\u00E9\uFB01"), "e\u0301\uFB01");
  EXPECT_EQ(by(R"({"type": "NFKC"})", "e\u0301\uFB01"), "\u00E9fi");
  EXPECT_EQ(by(R"({"type": "NFKD"})", "\u00E9\uFB01"), "e\u0301fi");
}

TEST(Normalisers, ComposeAcrossWhatIsWrittenAsAMark) {
  const std::string nfc = R"({"type": "NFC"})", nfkc = R"({"type": "NFKC"})",
                    nfkd = R"({"type": "NFKD"})";
  EXPECT_EQ(by(nfkc, "\uFF76\uFF9E\uFF76"), "\u30AC\u30AB");  // half-width kana
  EXPECT_EQ(by(nfkc, "\u3131\u314F\u3134"), "\uAC00\u1102");  // jamo of their own
  EXPECT_EQ(by(nfkd, "\uFF76\uFF9E"), "\u30AB\u3099");
  EXPECT_EQ(by(nfc, "\uFF76\uFF9E"), "\uFF76\uFF9E");
  // U+0F73 is two marks, of classes 129 and 130, and U+0F39 is of class 216.
  EXPECT_EQ(by(nfc, "\u0F40\u0F39\u0F73"), "\u0F40\u0F71\u0F72\u0F39");
  EXPECT_EQ(by(R"({"type": "NFD"})", "\u0F40\u0F39\u0F73"), "\u0F40\u0F71\u0F72\u0F39");
  EXPECT_EQ(places(normalised(nfkc, "a\uFF76\uFF9E\u00E9")), (Places{{0, 1}, {1, 7}, {7, 9}}));
}

TEST(Normalisers, StripAndLower) {
  EXPECT_EQ(by(R"({"type": "Lowercase"})", "Caf\u00C9"), "caf\u00E9");
  // Marks that stand by themselves, with room or without; letters are not taken apart.
  EXPECT_EQ(by(R"({"type": "StripAccents"})", "e\u0301\u0903\u20DD\u00E9"), "e\u00E9");
  EXPECT_EQ(by(R"({"type": "Strip"})", " \ta b\u3000\n"), "a b");
  EXPECT_EQ(by(R"({"type": "Strip", "strip_left": false})", " a "), " a");
  EXPECT_EQ(by(R"({"type": "Strip", "strip_right": false})", " a "), "a ");
  EXPECT_EQ(by(R"({"type": "Strip"})", "  "), "");
}

TEST(Normalisers, PutBeforeAndReplace) {
  const std::string prepend = R"({"type": "Prepend", "prepend": "<\u2581"})";
  EXPECT_EQ(by(prepend, "\u00E9b"), "<\u2581\u00E9b");
  EXPECT_EQ(by(prepend, ""), "");
  EXPECT_EQ(places(normalised(prepend, "\u00E9b")), (Places{{0, 2}, {0, 2}, {0, 2}, {2, 3}}));
  const std::string words = R"({"type": "Replace", "pattern": {"String": "aa"}, "content": "xyz"})";
  EXPECT_EQ(by(words, "baaaab aac a"), "bxyzxyzb xyzc a");
  EXPECT_EQ(places(normalised(words, "baac")), (Places{{0, 1}, {1, 3}, {1, 3}, {1, 3}, {3, 4}}));
  EXPECT_EQ(
      by(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", "a   b c  "),
      "a b c ");
  EXPECT_EQ(by(R"({"type": "Replace", "pattern": {"String": "a"}, "content": ""})", "abac"), "bc");
}

TEST(Normalisers, DoAsBertDoesPartByPart) {
  const auto only = [](const std::string& flags, std::string_view from) {
    return by(R"({"type": "BertNormalizer", )" + flags + "}", from);
  };
  const std::string all = std::string("A\t\u4E2D\u200B\x01\xEF\xBF\xBD\u00A0\u00C9\n\r") + '\0';
  EXPECT_EQ(
      only(
          R"("clean_text": false, "handle_chinese_chars": false, "strip_accents": false, "lowercase": false)",
          all),
      all);
  EXPECT_EQ(
      only(R"("handle_chinese_chars": false, "strip_accents": false, "lowercase": false)", all),
      "A \u4E2D \u00C9  ");
  EXPECT_EQ(
      only(R"("clean_text": false, "strip_accents": false, "lowercase": false)", "a\u4E2Db\u3400"),
      "a \u4E2D b \u3400 ");
  EXPECT_EQ(only(R"("strip_accents": false)", "\u00C9"), "\u00E9");
  EXPECT_EQ(only(R"("strip_accents": true, "lowercase": false)", "\u00C9\u0903"), "E\u0903");
  // Where nothing is said of accents they go with capitals.
  EXPECT_EQ(only(R"("lowercase": false)", "\u00C9"), "\u00C9");
  EXPECT_EQ(only(R"("lowercase": true)", "\u00C9"), "e");
  EXPECT_EQ(by(R"({"type": "BertNormalizer"})", "\u00C9\u4E2D\t"), "e \u4E2D  ");
  EXPECT_EQ(places(normalised(R"({"type": "BertNormalizer"})", "\u4E2D")),
            (Places{{0, 3}, {0, 3}, {0, 3}}));
}

TEST(Normalisers, ShowEachByte) {
  EXPECT_EQ(by(R"({"type": "ByteLevel"})", "\u00E9 a\n"), "\u00C3\u00A9\u0120a\u010A");
  EXPECT_EQ(places(normalised(R"({"type": "ByteLevel"})", "\u00E9 ")),
            (Places{{0, 2}, {0, 2}, {2, 3}}));
  std::set<char32_t> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t code = shown_byte(static_cast<unsigned char>(byte));
    const bool plain =
        (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    EXPECT_EQ(code == static_cast<char32_t>(byte), plain) << byte;
    EXPECT_EQ(byte_shown_as(code), byte);
    seen.insert(code);
  }
  EXPECT_EQ(seen.size(), 256u);
  EXPECT_EQ(shown_byte(0), U'\u0100');
  EXPECT_EQ(shown_byte(' '), U'\u0120');
  EXPECT_EQ(shown_byte(0x7F), U'\u0121');
  EXPECT_EQ(shown_byte(0xA0), U'\u0142');
  EXPECT_EQ(shown_byte(0xAD), U'\u0143');
  EXPECT_EQ(byte_shown_as(U'\u0144'), -1);
  EXPECT_EQ(byte_shown_as(U' '), -1);
}

TEST(Normalisers, GoOneAfterAnother) {
  EXPECT_EQ(
      by(R"({"type": "Sequence", "normalizers": [{"type": "Strip"}, {"type": "Prepend", "prepend": " "},
                   {"type": "Lowercase"}]})",
         "  A "),
      " a");
  EXPECT_ERROR_WITH(
      FormatError, "normalizers[1].type is \"Up\", which is not known",
      part(R"({"type": "Sequence", "normalizers": [{"type": "Strip"}, {"type": "Up"}]})",
           read_normaliser));
}

}  // namespace
}  // namespace heed::data::tokenizers
