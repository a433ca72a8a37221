// What words become by each kind of model.
#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../../data/tokenizers/model.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

// "token:begin-end" of each.
std::string parts(const std::string& json, std::string_view word) {
  const auto model = part(json, read_model);
  std::string out;
  for (const Part& each : (*model)(characters(word))) {
    if (!out.empty()) out += ' ';
    out +=
        *model->token(each.id) + ":" + std::to_string(each.begin) + "-" + std::to_string(each.end);
  }
  return out;
}

std::string bpe(const std::string& more) {
  return R"({"vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "aa": 6, "?": 7, "<0xC3>": 8, "<0xA9>": 9},
             "merges": ["b c", "a b", "a a", "a bc"])" +
         more + "}";
}

TEST(Models, BpeJoinsWhatWasLearnedFirst) {
  EXPECT_EQ(parts(bpe(""), "abc"), "abc:0-3");
  EXPECT_EQ(parts(bpe(""), "abab"), "ab:0-2 ab:2-4");
  EXPECT_EQ(parts(bpe(""), "aaa"), "aa:0-2 a:2-3");  // the leftmost of equals
  EXPECT_EQ(parts(bpe(""), "aabca"), "aa:0-2 bc:2-4 a:4-5");
  EXPECT_EQ(parts(bpe(""), ""), "");
  EXPECT_EQ(parts(bpe(""), "axb"), "ab:0-3");  // x is nothing
}

TEST(Models, BpeKnowsWhatItDoesNotKnow) {
  EXPECT_EQ(parts(bpe(R"(, "unk_token": "?")"), "axyb"), "a:0-1 ?:1-2 ?:2-3 b:3-4");
  EXPECT_EQ(parts(bpe(R"(, "unk_token": "?", "fuse_unk": true)"), "axybz"),
            "a:0-1 ?:1-3 b:3-4 ?:4-5");
  EXPECT_EQ(parts(bpe(R"(, "unk_token": "nobody")"), "ab"), "ab:0-2");
  EXPECT_ERROR(ValueError, "tokenizer: \"x\" is no token, and the model has no unk_token",
               parts(bpe(R"(, "unk_token": "nobody")"), "ax"));
  const std::string bytes = R"(, "unk_token": "?", "byte_fallback": true, "fuse_unk": true)";
  EXPECT_EQ(parts(bpe(bytes), "a\u00E9x\u00E9x"),
            "a:0-1 <0xC3>:1-2 <0xA9>:1-2 ?:2-3 <0xC3>:3-4 <0xA9>:3-4 ?:4-5");
  EXPECT_EQ(parts(bpe(R"(, "byte_fallback": true)"), "\u00EA"), "");  // half of its bytes
}

TEST(Models, BpeLooksForWholeWordsWhereTold) {
  const std::string some = R"({"vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [])";
  EXPECT_EQ(parts(some + "}", "ab"), "a:0-1 b:1-2");
  EXPECT_EQ(parts(some + R"(, "ignore_merges": true})", "ab"), "ab:0-2");
  EXPECT_EQ(parts(some + R"(, "ignore_merges": true})", "ba"), "b:0-1 a:1-2");
}

TEST(Models, BpeMarksWhereWordsGoOnAndEnd) {
  const std::string goes_on =
      R"({"vocab": {"a": 0, "##b": 1, "##c": 2, "ab": 3, "##bc": 4}, "continuing_subword_prefix": "##",
                                  "merges": ["a ##b", "##b ##c"]})";
  EXPECT_EQ(parts(goes_on, "abc"), "ab:0-2 ##c:2-3");
  EXPECT_EQ(parts(goes_on, "abbc"), "ab:0-2 ##bc:2-4");
  const std::string ends =
      R"({"vocab": {"a": 0, "a</w>": 1, "b</w>": 2, "ab</w>": 3}, "end_of_word_suffix": "</w>",
                               "merges": ["a b</w>"]})";
  EXPECT_EQ(parts(ends, "aab"), "a:0-1 ab</w>:1-3");
  EXPECT_EQ(parts(ends, "aa"), "a:0-1 a</w>:1-2");
}

TEST(Models, BpeWithDropoutIsRefused) {
  EXPECT_ERROR_WITH(FormatError, "dropout is not known",
                    part(bpe(R"(, "dropout": 0.1)"), read_model));
  EXPECT_EQ(parts(bpe(R"(, "dropout": 0)"), "ab"), "ab:0-2");
  EXPECT_ERROR_WITH(FormatError, "must be two tokens with a space",
                    part(R"({"vocab": {"a": 0, "b": 1}, "merges": ["a b c"]})", read_model));
  EXPECT_ERROR_WITH(FormatError, "merges[0] must be two tokens",
                    part(R"({"vocab": {"a": 0}, "merges": [["a"]]})", read_model));
}

TEST(Models, WordPieceTakesTheLongestFirst) {
  const auto pieces = [](const std::string& more) {
    return R"({"type": "WordPiece", "vocab": {"[UNK]": 0, "a": 1, "ab": 2, "##b": 3, "##bc": 4, "##c": 5, "@d": 6})" +
           more + "}";
  };
  EXPECT_EQ(parts(pieces(""), "abbc"), "ab:0-2 ##bc:2-4");
  EXPECT_EQ(parts(pieces(""), "abc"), "ab:0-2 ##c:2-3");
  EXPECT_EQ(parts(pieces(""), "abx"), "[UNK]:0-3");
  EXPECT_EQ(parts(pieces(""), "ba"), "[UNK]:0-2");
  EXPECT_EQ(parts(pieces(""), ""), "");
  EXPECT_EQ(parts(pieces(R"(, "max_input_chars_per_word": 3)"), "abc"), "ab:0-2 ##c:2-3");
  EXPECT_EQ(parts(pieces(R"(, "max_input_chars_per_word": 2)"), "abc"), "[UNK]:0-3");
  EXPECT_EQ(parts(pieces(R"(, "continuing_subword_prefix": "@")"), "ad"), "a:0-1 @d:1-2");
  const std::string hundred = "a" + std::string(99, 'b');
  EXPECT_NE(parts(pieces(""), hundred), "[UNK]:0-100");
  EXPECT_EQ(parts(pieces(""), hundred + "b"), "[UNK]:0-101");
  EXPECT_ERROR_WITH(
      FormatError, "unk_token is no token",
      part(R"({"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "?"})", read_model));
}

TEST(Models, UnigramTakesTheLikeliest) {
  const auto unigram = [](const std::string& more) {
    return R"({"type": "Unigram", "vocab": [["?", 0], ["a", -1], ["b", -1.5], ["ab", -2], ["abc", -9], ["c", -3]])" +
           more + "}";
  };
  EXPECT_EQ(parts(unigram(""), "ab"), "ab:0-2");         // -2 beside -2.5
  EXPECT_EQ(parts(unigram(""), "abc"), "ab:0-2 c:2-3");  // -5 beside -9
  EXPECT_EQ(parts(unigram(R"(, "unk_id": 0)"), "xyab"), "?:0-2 ab:2-4");
  EXPECT_ERROR(ValueError, "tokenizer: \"x\" is no token, and the model has no unk_id",
               parts(unigram(""), "xa"));
  EXPECT_ERROR_WITH(ValueError, "has no unk_id", parts(unigram(R"(, "unk_id": null)"), "ax"));
  const std::string bytes = R"({"type": "Unigram", "byte_fallback": true, "unk_id": 0,
                                "vocab": [["?", 0], ["a", -1], ["<0xC3>", -2], ["<0xA9>", -2]]})";
  EXPECT_EQ(parts(bytes, "\u00E9a\u00EA"), "<0xC3>:0-1 <0xA9>:0-1 a:1-2 ?:2-3");
  // What is unknown costs ten more than the worst: a token of -12 still wins where the worst is -3.
  EXPECT_EQ(
      parts(R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["a", -3], ["xa", -15.5]]})",
            "xa"),
      "xa:0-2");
  EXPECT_ERROR_WITH(FormatError, "vocab[0] must be a token and its score",
                    part(R"({"type": "Unigram", "vocab": [["a"]]})", read_model));
}

// One tenth below nothing, not so many times the best score as it has bytes.
TEST(Models, UnigramPrefersWhatUsersDefined) {
  const std::string vocabulary =
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", -5], ["ab", -1],
                                     ["cde", -1.5], ["abcde", 0], ["abcdef", -1]])";
  EXPECT_EQ(parts(vocabulary + R"(, "user_defined": [3]})", "abcde"), "abcde:0-5");
  EXPECT_EQ(parts(vocabulary + R"(, "user_defined": [3]})", "abcdef"),
            "abcdef:0-6");  // -1 beside -11.6
}

TEST(Models, WordLevelKnowsWordsAlone) {
  const auto words = [](const std::string& more) {
    return R"({"type": "WordLevel", "vocab": {"ab": 3, "?": 7})" + more + "}";
  };
  EXPECT_EQ(parts(words(""), "ab"), "ab:0-2");
  EXPECT_ERROR(ValueError, "tokenizer: \"a\" is no token, and the model has no unk_token",
               parts(words(""), "a"));
  EXPECT_ERROR_WITH(ValueError, "has no unk_token",
                    parts(words(R"(, "unk_token": "nobody")"), "a"));
  EXPECT_EQ(parts(words(R"(, "unk_token": "?")"), "abc"), "?:0-3");
  EXPECT_EQ(parts(words(R"(, "unk_token": "?")"), ""), "");
  const auto model = part(words(""), read_model);
  EXPECT_EQ(model->largest(), 7);
  EXPECT_EQ(model->token(4), nullptr);
  EXPECT_EQ(model->id("ab"), 3);
  EXPECT_EQ(model->id("x"), std::nullopt);
}

TEST(Models, BytesHaveNames) {
  EXPECT_EQ(name_of_byte(0x0A), "<0x0A>");
  EXPECT_EQ(name_of_byte(0xFF), "<0xFF>");
}

}  // namespace
}  // namespace heed::data::tokenizers
