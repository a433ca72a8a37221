#include "../../../data/tokenizers/decoders.h"

#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

using Tokens = std::vector<std::string>;

Tokens by(const std::string& json, Tokens tokens) {
  part(json, read_decoder)(tokens);
  return tokens;
}

TEST(Decoders, WithoutOneTokensAreWords) {
  EXPECT_EQ(by("null", {"a", "b", "c"}), (Tokens{"a", " b", " c"}));
}

TEST(Decoders, ReadShownBytes) {
  const std::string bytes = R"({"type": "ByteLevel"})";
  EXPECT_EQ(by(bytes, {"\u00C3", "\u00A9\u0120a"}), Tokens{"\u00E9 a"});
  EXPECT_EQ(by(bytes, {"\u4E2D\u0120", "\u0120"}),
            Tokens{"\u4E2D\u0120 "});  // not all are shown bytes
  EXPECT_EQ(by(bytes, {"a\u0100b"}), Tokens{std::string("a\0b", 3)});
  EXPECT_EQ(by(bytes, {"a\u00C3", "b"}), Tokens{"a\xEF\xBF\xBD"
                                                "b"});
}

TEST(Decoders, ReadNamedBytes) {
  const std::string bytes = R"({"type": "ByteFallback"})";
  const std::string none = "\xEF\xBF\xBD";
  EXPECT_EQ(by(bytes, {"a", "<0xC3>", "<0xA9>", "b", "<0x0a>"}),
            (Tokens{"a", "\u00E9", "b", "\n"}));
  EXPECT_EQ(by(bytes, {"<0xC3>", "a", "<0xA9>", "<0xA9>"}), (Tokens{none, "a", none, none}));
  EXPECT_EQ(by(bytes, {"<0x00>"}), Tokens{std::string(1, '\0')});
  EXPECT_EQ(by(bytes, {"<0xFF>"}), Tokens{none});
  const Tokens other = {"<0xG1>", "<0x1G>",  "<0x1>",  "<0xA9",
                        "0xA9>",  "<0xA90>", "(0xA9>", "<0xA9)"};
  EXPECT_EQ(by(bytes, other), other);
}

TEST(Decoders, JoinWordPieces) {
  EXPECT_EQ(by(R"({"type": "WordPiece"})", {"##un", "##able", "to", ",", "do not", "n't", "."}),
            (Tokens{"##un", "able", " to", ",", " don't", "n't", "."}));
  EXPECT_EQ(by(R"({"type": "WordPiece"})", {"it", "'s", "we", "'ve", "'re", "'m", "!", "?", "' a"}),
            (Tokens{"it", "'s", " we", "'ve", "'re", "'m", "!", "?", "'a"}));
  EXPECT_EQ(
      by(R"({"type": "WordPiece", "prefix": "@@", "cleanup": false})", {"a", "@@b", "##c", "."}),
      (Tokens{"a", "b", " ##c", " ."}));
}

TEST(Decoders, PutSpacesForMarks) {
  EXPECT_EQ(by(R"({"type": "Metaspace"})", {"\u2581\u2581a", "\u2581b\u2581"}),
            (Tokens{"a", " b "}));  // all of the first token's
  EXPECT_EQ(
      by(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never"})", {"_a", "_b"}),
      (Tokens{" a", " b"}));
  EXPECT_EQ(by(R"({"type": "Metaspace", "add_prefix_space": false})", {"\u2581a"}), Tokens{" a"});
  EXPECT_EQ(by(R"({"type": "Metaspace", "prepend_scheme": "first"})", {"\u2581a"}), Tokens{"a"});
}

TEST(Decoders, EndWordsAndStripAndReplace) {
  EXPECT_EQ(by(R"({"type": "BPEDecoder"})", {"my</w>", "na", "me</w>"}),
            (Tokens{"my ", "na", "me"}));
  EXPECT_EQ(by(R"({"type": "BPEDecoder", "suffix": "@"})", {"a@", "b@"}), (Tokens{"a ", "b"}));
  EXPECT_EQ(by(R"({"type": "Strip", "content": "_", "start": 2, "stop": 1})",
               {"___a__", "_b", "__", "_", ""}),
            (Tokens{"_a_", "b", "", "", ""}));
  EXPECT_EQ(by(R"({"type": "Strip", "content": "_"})", {"_a_"}), Tokens{"_a_"});
  EXPECT_EQ(by(R"({"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "})",
               {"\u2581a\u2581", "b"}),
            (Tokens{" a ", "b"}));
  EXPECT_EQ(by(R"({"type": "Fuse"})", {"a", "", "b"}), Tokens{"ab"});
  EXPECT_EQ(
      by(R"({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": "a", "start": 1}]})",
         {"a", "ab"}),
      Tokens{"ab"});
}

TEST(Decoders, AreReadStrictly) {
  EXPECT_ERROR_WITH(FormatError, "suffix is empty",
                    part(R"({"type": "BPEDecoder", "suffix": ""})", read_decoder));
  for (const char* const mark : {"", "ab"}) {
    EXPECT_ERROR_WITH(FormatError, "replacement must be one character",
                      part(R"({"type": "Metaspace", "replacement": ")" + std::string(mark) + "\"}",
                           read_decoder));
  }
  EXPECT_ERROR_WITH(FormatError, "content must be one character",
                    part(R"({"type": "Strip", "content": "ab"})", read_decoder));
  EXPECT_ERROR_WITH(FormatError, "type is \"Morse\", which is not known",
                    part(R"({"type": "Morse"})", read_decoder));
}

}  // namespace
}  // namespace heed::data::tokenizers
