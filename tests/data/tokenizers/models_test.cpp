// What words become by each kind of model.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "../../../core/error.h"
#include "../../../core/generator.h"
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
  EXPECT_EQ(parts(bpe(R"(, "unk_token": "?")"), "\u00E9"), "?:0-1");
  EXPECT_EQ(parts(R"({"byte_fallback": true, "vocab": {"<0x00>": 0}, "merges": []})",
                  std::string_view("\0", 1)),
            "<0x00>:0-1");
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

// Step by step, as the paper has it: of all pairs side by side the first learned, the leftmost.
TEST(Models, BpeIsItsDefinition) {
  Generator generator(3);
  const auto any = [&](std::size_t count) {
    return static_cast<std::size_t>(generator.below(static_cast<Index>(count)));
  };
  std::vector<std::string> tokens = {"a", "b", "c", "d"};
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  std::string vocabulary = R"("-": 0, "a": 1, "b": 2, "c": 3, "d": 4)", merges;
  while (ranks.size() < 61) {
    const std::string left = tokens[any(tokens.size())], right = tokens[any(tokens.size())];
    if (left.size() + right.size() > 6 ||
        !ranks.emplace(std::pair(left, right), ranks.size()).second)
      continue;
    merges += (merges.empty() ? "\"" : ", \"") + left + " " + right + "\"";
    if (std::find(tokens.begin(), tokens.end(), left + right) != tokens.end()) continue;
    tokens.push_back(left + right);
    vocabulary += ", \"" + left + right + "\": " + std::to_string(tokens.size());
  }
  for (const std::string unused : {"", R"(, "unused": [0])"}) {  // which no word has
    const auto model =
        part(R"({"vocab": {)" + vocabulary + R"(}, "merges": [)" + merges + "]" + unused + "}",
             read_model);
    for (int round = 0; round < 41; ++round) {
      std::vector<std::string> wanted, found;
      std::string word;
      for (int i = 0; i < 149; ++i) word += wanted.emplace_back(1, "abcd"[any(4)]);
      for (;;) {
        std::size_t best = ranks.size(), at = 0;
        for (std::size_t i = 0; i + 1 < wanted.size(); ++i) {
          const auto rank = ranks.find({wanted[i], wanted[i + 1]});
          if (rank != ranks.end() && rank->second < best) best = rank->second, at = i;
        }
        if (best == ranks.size()) break;
        wanted[at] += wanted[at + 1];
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
      for (const Part& each : (*model)(characters(word))) {
        found.push_back(*model->token(each.id));
        EXPECT_EQ(word.substr(each.begin, each.end - each.begin), found.back());
      }
      EXPECT_EQ(found, wanted);
    }
  }
}

TEST(Models, BpeJoinsTokensThatAreThere) {
  for (const char* const vocabulary :
       {R"("b": 0, "ab": 1)", R"("a": 0, "ab": 1)", R"("a": 0, "b": 1)"}) {
    EXPECT_ERROR_WITH(
        FormatError, "merges[0] joins tokens that are not there",
        part(R"({"merges": ["a b"], "vocab": {)" + std::string(vocabulary) + "}}", read_model))
        << vocabulary;
  }
  EXPECT_ERROR_WITH(FormatError, "merges[0] must be two tokens with a space between them",
                    part(R"({"merges": ["a  b"], "vocab": {}})", read_model));
}

// As any other: what stands for an unknown letter, a letter's bytes, what a user defined.
TEST(Models, BpeJoinsTokensThatAreNoLetters) {
  const auto joined = [](const std::string& vocabulary, const std::string& merge,
                         std::string_view word) {
    return parts(R"({"unk_token": "?", "byte_fallback": true, "user_defined": [2],
                     "vocab": {"?": 0, "a": 1, )" +
                     vocabulary + R"(}, "merges": [")" + merge + "\"]}",
                 word);
  };
  EXPECT_EQ(joined(R"("a?": 3)", "a ?", "axa"), "a?:0-2 a:2-3");
  EXPECT_EQ(joined(R"("?a": 3)", "? a", "axa"), "a:0-1 ?a:1-3");
  EXPECT_EQ(joined(R"("<0xC3>": 3, "<0xA9>": 4, "<0xC3><0xA9>": 5)", "<0xC3> <0xA9>", "a\u00E9"),
            "a:0-1 <0xC3><0xA9>:1-2");
  EXPECT_EQ(joined(R"("bc": 2, "bca": 3)", "bc a", "abca"), "a:0-1 bca:1-4");
}

TEST(Models, BpeKnowsWhatUsersDefinedBetweenWhatItDoesNotKnow) {
  EXPECT_EQ(parts(R"({"unk_token": "?", "fuse_unk": true, "user_defined": [1, 2], "merges": [],
                      "vocab": {"?": 0, "cd": 1, "cde": 2}})",
                  "xcdyzcdex"),
            "?:0-1 cd:1-3 ?:3-5 cde:5-8 ?:8-9");
}

// What is unused leads on to others, and else is what it came from, each at its own place.
TEST(Models, BpeGoesOnThroughWhatIsUnused) {
  const std::string some = R"({"byte_fallback": true, "merges": ["a b", "ab c", "<0xC3> <0xA9>"],
      "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "<0xC3>": 5, "<0xA9>": 6,
                "<0xC3><0xA9>": 7}, "unused": )";
  EXPECT_EQ(parts(some + "[3]}", "abcab"), "abc:0-3 a:3-4 b:4-5");
  EXPECT_EQ(parts(some + "[3, 4]}", "cabc"), "c:0-1 a:1-2 b:2-3 c:3-4");
  EXPECT_EQ(parts(some + "[4]}", "abc"), "ab:0-2 c:2-3");
  EXPECT_EQ(parts(some + "[7]}", "\u00E9a"), "<0xC3>:0-1 <0xA9>:0-1 a:1-2");
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
  EXPECT_EQ(parts(R"({"type": "WordPiece", "vocab": {"a": 0, "[UNK]": 1}})", "a"), "a:0-1");
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
  EXPECT_EQ(parts(R"({"type": "Unigram", "unk_id": 1,
                      "vocab": [["a", -1], ["?", 0], ["<0xC3>", -2], ["<0xA9>", -2]]})",
                  "\u00E9a"),
            "?:0-1 a:1-2");
  EXPECT_EQ(parts(R"({"type": "Unigram", "byte_fallback": true, "unk_id": 0,
                      "vocab": [["?", 0], ["<0x00>", -1]]})",
                  std::string_view("\0", 1)),
            "<0x00>:0-1");
  // What is unknown costs ten more than the worst: a token of -12 still wins where the worst is -3.
  EXPECT_EQ(
      parts(R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["a", -3], ["xa", -15.5]]})",
            "xa"),
      "xa:0-2");
  // And no more than that: 12 - 10 beside what it would be as one.
  const auto beside = [](const std::string& one) {
    return parts(
        R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["a", 12], ["xa", )" + one + "]]}",
        "xa");
  };
  EXPECT_EQ(beside("1.5"), "?:0-1 a:1-2");
  EXPECT_EQ(beside("2.5"), "xa:0-2");
  EXPECT_EQ(  // where all are worth something, too
      parts(R"({"type": "Unigram", "unk_id": 0, "vocab": [["?", 2], ["a", 10.5], ["xa", 2]]})",
            "xa"),
      "?:0-1 a:1-2");
  EXPECT_EQ(parts(R"({"type": "Unigram", "vocab": [["a", -1], ["b", -1], ["ab", -2]]})", "ab"),
            "ab:0-2");  // of two ways that are as good, the one of longer tokens
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

TEST(Models, UnigramPrefersWhatUsersDefinedByAsMuchAsItsBytes) {
  const auto defined = [](double a, double b) {
    return parts(R"({"type": "Unigram", "user_defined": [2], "reserved": [3], "vocab": [["a", )" +
                     std::to_string(a) + R"(], ["b", )" + std::to_string(b) +
                     R"(], ["ab", 0], ["<s>", 50]]})",
                 "ab");
  };
  EXPECT_EQ(defined(-0.1, -0.05), "ab:0-2");  // -0.15 beside -0.1
  EXPECT_EQ(defined(-0.04, -0.05), "a:0-1 b:1-2");
  EXPECT_EQ(defined(2, 1.8), "ab:0-2");  // 3.8 beside twice 2, less 0.1
  EXPECT_EQ(defined(2, 1.95), "a:0-1 b:1-2");
}

TEST(Models, UnigramMayBeOfWhatUsersDefinedAlone) {
  EXPECT_EQ(parts(R"({"type": "Unigram", "unk_id": 0, "reserved": [0], "user_defined": [1, 2],
                      "vocab": [["?", 0], ["a", -1], ["bc", -1]]})",
                  "abcb"),
            "a:0-1 bc:1-3 ?:3-4");
}

// What is unknown costs ten more than these: no tokens of other kinds make it dearer.
TEST(Models, UnigramsWorstIsOfCommonTokens) {
  EXPECT_EQ(parts(R"({"type": "Unigram", "unk_id": 0, "reserved": [0], "unused": [3],
                      "user_defined": [4], "vocab": [["?", -99], ["a", 12], ["xa", 1.5],
                                                     ["b", -99], ["c", -99], ["d", 0]]})",
                  "xa"),
            "?:0-1 a:1-2");
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
  EXPECT_ERROR_WITH(FormatError, "vocab must be an object of tokens and their numbers",
                    part(R"({"type": "WordLevel", "vocab": ["a"]})", read_model));
  const auto largest = [](const std::string& vocabulary) {
    return part(R"({"type": "WordLevel", "vocab": {)" + vocabulary + "}}", read_model)->largest();
  };
  EXPECT_EQ(largest(""), -1);
  EXPECT_EQ(largest(R"("a": 1073741824)"), kLargestId);
}

TEST(Models, BytesHaveNames) {
  EXPECT_EQ(name_of_byte(0x0A), "<0x0A>");
  EXPECT_EQ(name_of_byte(0xFF), "<0xFF>");
}

}  // namespace
}  // namespace heed::data::tokenizers
