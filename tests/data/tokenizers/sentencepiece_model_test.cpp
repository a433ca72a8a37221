#include "../../../data/tokenizers/sentencepiece_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "../../../core/error.h"
#include "../../../data/sentencepiece.h"
#include "../../../data/subwords.h"
#include "../../../data/tokenizers/pretrained_tokenizer.h"
#include "../../io/temporary_folder.h"
#include "../../support/throws.h"

namespace heed::data {
namespace {

using Tokens = std::vector<std::string>;

// Fields of Protocol Buffers, of numbers below 16.
std::string bytes(int number, const std::string& content) {
  std::string out{static_cast<char>(number << 3 | 2)};
  std::size_t size = content.size();
  for (; size >= 128; size /= 128) out += static_cast<char>(size % 128 + 128);
  return out + static_cast<char>(size) + content;
}
std::string truth(int number, bool value) {
  return std::string{static_cast<char>(number << 3), static_cast<char>(value)};
}
std::string piece(const std::string& text, float score, int type = 1) {
  std::string own = bytes(1, text) + "\x15";
  const auto bits = std::bit_cast<std::uint32_t>(score);
  for (int shift = 0; shift < 32; shift += 8) own += static_cast<char>(bits >> shift);
  return bytes(1, own + "\x18" + static_cast<char>(type));
}

PretrainedTokenizer read(const std::string& model) {
  TemporaryFolder folder;
  folder.write("m.model", model);
  return PretrainedTokenizer::read_sentencepiece(folder / "m.model");
}

const std::string kPieces = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("\u2581", -2) +
                            piece("\u2581a", -3) + piece("b", -3.5f) + piece("ab", -4) +
                            piece("<sep>", 0, 4);

TEST(SentencepieceModel, OfUnigramTakesTheLikeliestPieces) {
  const auto tokenizer = read(kPieces + bytes(2, "\x18\x01"));
  // What a user defined stands within the text: nothing is put before what follows it.
  const TokenizedText text = tokenizer.encode("  ab   x<sep>ab<sep>  a ");
  EXPECT_EQ(text.tokens,
            (Tokens{"\u2581", "ab", "\u2581", "<unk>", "<sep>", "ab", "<sep>", "\u2581a"}));
  EXPECT_EQ(tokenizer.decode(text.ids), "ab <sep>ab<sep> a");
}

// Of control, bytes and what is unused, in both kinds of models.
TEST(SentencepieceModel, FindsNoPieceThatIsNoText) {
  for (const char type : {'\x01', '\x02'}) {
    const auto tokenizer =
        read(kPieces + piece("a", -5) + piece("<", -6) + piece("s", -6) + piece(">", -6) +
             piece("ba", -1, 5) + piece("<0x41>", 0, 6) + bytes(2, std::string("\x18") + type));
    EXPECT_EQ(tokenizer.encode("<s>").tokens, (Tokens{"\u2581", "<", "s", ">"}));
    EXPECT_EQ(tokenizer.encode("<unk>").tokens, (Tokens{"\u2581", "<", "<unk>", ">"}));
    EXPECT_EQ(tokenizer.encode("<0x41>").tokens, (Tokens{"\u2581", "<", "<unk>", ">"}));
    EXPECT_EQ(tokenizer.encode("<sep>").tokens, (Tokens{"\u2581", "<sep>"}));
    EXPECT_EQ(tokenizer.encode("xba").tokens, (Tokens{"\u2581", "<unk>", "b", "a"}));  // unused
    EXPECT_EQ(tokenizer.encode("\ta\t").tokens, (Tokens{"\u2581", "<unk>", "a", "<unk>"}));
    EXPECT_EQ(tokenizer.id("<s>"), 1);
    EXPECT_EQ(tokenizer.decode({1, 3}), "a");
    EXPECT_EQ(tokenizer.decode({1, 3}, true), "<s> a");
  }
}

// As the library says it: -0.1, whatever other pieces may be worth.
TEST(SentencepieceModel, PrefersWhatUsersDefined) {
  const auto tokenizer = read(kPieces + piece("abab", 0, 4) + bytes(2, "\x18\x01"));
  EXPECT_EQ(tokenizer.encode("abab").tokens, (Tokens{"\u2581", "abab"}));
}

TEST(SentencepieceModel, MayHaveNothingForWhatIsUnknown) {
  const auto tokenizer = read(piece("\u2581", -2) + piece("a", -3) + bytes(2, "\x18\x01"));
  EXPECT_EQ(tokenizer.encode("axa").tokens, (Tokens{"\u2581", "a", "a"}));
}

TEST(SentencepieceModel, ForOthersHasTheirParts) {
  const std::string model = kPieces + bytes(2, "\x18\x01");
  const auto tokenizer =
      PretrainedTokenizer::parse(tokenizers::from_sentencepiece(model, "m", true), "m");
  EXPECT_EQ(tokenizer.encode("  ab   x<sep>a ").tokens,
            (Tokens{"\u2581", "ab", "\u2581", "<unk>", "<sep>", "\u2581a"}));
}

TEST(SentencepieceModel, OfBpeJoinsTheBestPieceFirst) {
  const auto tokenizer =
      read(piece("<unk>", 0, 2) + piece("\u2581ab", -1) + piece("ab", 0) + piece("\u2581", -9) +
           piece("a", -9) + piece("b", -9) + bytes(2, "\x18\x02"));
  EXPECT_EQ(tokenizer.encode("ab ba").tokens, (Tokens{"\u2581ab", "\u2581", "b", "a"}));
}

// The best piece first, each in all ways. Of ours nothing is joined of what users defined, and what
// is unused leads on; others, who know of neither, join what they are given.
TEST(SentencepieceModel, OfBpeComesFromPairsOfPieces) {
  const std::string model = piece("<unk>", 0, 2) + piece("a", -9) + piece("b", -9) +
                            piece("c", -9) + piece("ab", -1) + piece("bc", 0, 4) +
                            piece("ca", -2, 5) + piece("abc", -0.5f) + piece("bca", -3) +
                            bytes(2, "\x18\x02");
  using Merges = std::vector<std::pair<std::string, std::string>>;
  const auto merges = [&](bool for_others) {
    const std::string text = tokenizers::from_sentencepiece(model, "m", for_others);
    return nlohmann::json::parse(text)["model"]["merges"].get<Merges>();
  };
  EXPECT_EQ(merges(false), (Merges{{"ab", "c"}, {"a", "b"}, {"c", "a"}, {"b", "ca"}}));
  EXPECT_EQ(merges(true),
            (Merges{{"b", "c"}, {"a", "bc"}, {"ab", "c"}, {"a", "b"}, {"b", "ca"}, {"bc", "a"}}));
}

TEST(SentencepieceModel, OfBpeHasOneTokenForWhatIsUnknownSideBySide) {
  const auto tokenizer = read(kPieces + bytes(2, "\x18\x02"));
  EXPECT_EQ(tokenizer.encode("xyb").tokens, (Tokens{"\u2581", "<unk>", "b"}));
}

TEST(SentencepieceModel, FallsBackOnBytesWhereItSaysSo) {
  for (const std::string type : {"\x18\x01", "\x18\x02"}) {
    const std::string pieces = kPieces + piece("<0x41>", 0, 6);
    EXPECT_EQ(read(pieces + bytes(2, type)).encode("A").tokens, (Tokens{"\u2581", "<unk>"}));
    EXPECT_EQ(read(pieces + bytes(2, type + "\x98\x02\x01")).encode("A").tokens,
              (Tokens{"\u2581", "<0x41>"}));
  }
}

// As Protocol Buffers have it: a kind and a score that are not said are the usual ones.
TEST(SentencepieceModel, NeedNotSayWhatIsUsual) {
  const std::string model = bytes(1, bytes(1, "a")) + piece("b", -1);
  const auto read = nlohmann::json::parse(tokenizers::from_sentencepiece(model, "m"))["model"];
  EXPECT_EQ(read["type"], "Unigram");
  EXPECT_EQ(read["vocab"], nlohmann::json::parse(R"([["a", 0.0], ["b", -1.0]])"));
  EXPECT_TRUE(read["reserved"].empty() && read["unused"].empty());
}

TEST(SentencepieceModel, IsReadBesideWhatItDoesNotAskFor) {
  const std::string other = truth(5, false);  // would mean something among the normaliser's
  const auto tokenizer = read(bytes(0, other) + kPieces + bytes(4, other) + bytes(5, other));
  EXPECT_EQ(tokenizer.encode("b").tokens, (Tokens{"\u2581", "b"}));
}

// The one that stands before a text, and no other.
TEST(SentencepieceModel, WritesTextsWithoutTheirFirstBlank) {
  const auto tokenizer = read(kPieces + bytes(2, "\x18\x01"));
  EXPECT_EQ(tokenizer.decode({2, 3, 2}), " a ");
}

TEST(SentencepieceModel, KeepsBlanksWhereItSaysSo) {
  const auto tokenizer =
      read(kPieces + bytes(2, "\x18\x01") + bytes(3, truth(3, false) + truth(4, false)));
  EXPECT_EQ(tokenizer.encode("ab  b").tokens, (Tokens{"ab", "\u2581", "\u2581", "b"}));
}

TEST(SentencepieceModel, IsReadStrictly) {
  const auto refuses = [](const std::string& model, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, read(model));
  };
  refuses("", "at byte 0: there are no pieces");
  refuses("\x0a", "ends within a number");
  refuses("\x0a\x05z", "a field of 5 bytes, of which 1 are there");
  refuses("\x0b", "a field of kind 3");
  refuses(std::string("\x08\x01"), "a part of the model is a field of kind 0, not 2");
  refuses(std::string(11, '\xFF'), "a number of more than 64 bits");
  refuses(piece("a", 0) + piece("a", 0), "at byte 0: \"a\" is there twice");
  refuses(piece("\xFF", 0), "empty or no UTF-8");
  refuses(piece("a", std::numeric_limits<float>::infinity()), "a score that is no number");
  refuses(piece("a", 0, 7), "a piece of type 7");
  refuses(piece("a", 0, 0), "a piece of type 0");
  refuses(piece(std::string(1025, 'a'), 0), "a piece of 1025 bytes");
  EXPECT_EQ(read(piece(std::string(1024, 'a'), 0)).size(), 1);
  refuses(kPieces + bytes(2, "\xC0\x01\x01"), "at byte 0: blanks that follow words");
  refuses(kPieces + bytes(2, "\x18\x03"), "at byte 0: a model of type 3");
  refuses(kPieces + bytes(3, truth(5, false)), "stay blanks");
  refuses(kPieces + bytes(3, bytes(2, "\x08\x01\x01\x01")), "precompiled_charsmap");
}

TEST(SentencepieceModel, OfTheLibraryIsRead) {
  if (!has_subwords()) GTEST_SKIP() << "without sentencepiece";
  std::vector<std::string> texts;
  for (int i = 0; i < 97; ++i)
    texts.push_back("the lower newest wide rivers flow " + std::to_string(i * i));
  for (const bool unigram : {true, false}) {
    const auto tokenizer = read(
        train_sentencepiece(texts, {.unigram = unigram, .size = 307, .byte_fallback = !unigram}));
    // By the table: full-width letters, a ligature, an accent of its own.
    const TokenizedText text = tokenizer.encode("\uFF34\uFF28\uFF25  the \uFB02ow");
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(" the  \uFB02ow").ids), "the flow");
    EXPECT_GT(text.ids.size(), 3u);
    EXPECT_LE(tokenizer.size(), 307);
  }
}

}  // namespace
}  // namespace heed::data
