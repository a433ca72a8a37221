#include "../../../data/tokenizers/pre_tokenisers.h"

#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

using Pieces = std::vector<std::string>;
using Places = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<Text> cut(const std::string& json, std::string_view from) {
  std::vector<Text> pieces{characters(from)};
  part(json, read_pre_tokeniser)(pieces);
  return pieces;
}
Pieces pieces(const std::string& json, std::string_view from) {
  Pieces out;
  for (const Text& piece : cut(json, from)) out.push_back(utf8(piece));
  return out;
}
std::string split(const std::string& behaviour, const std::string& more = "") {
  return R"({"type": "Split", "pattern": {"String": "-"}, "behavior": ")" + behaviour + "\"" +
         more + "}";
}

TEST(PreTokenisers, CutAtWhiteSpace) {
  const std::string text = "Hey, man!  a_b-\u00E9\u3000d ";
  EXPECT_EQ(pieces("null", text), Pieces{text});
  EXPECT_EQ(pieces(R"({"type": "Whitespace"})", text),
            (Pieces{"Hey", ",", "man", "!", "a_b", "-", "\u00E9", "d"}));
  EXPECT_EQ(pieces(R"({"type": "WhitespaceSplit"})", text),
            (Pieces{"Hey,", "man!", "a_b-\u00E9", "d"}));
  // Marks belong to words, fractions do not, letters in circles do.
  EXPECT_EQ(
      pieces(R"({"type": "Whitespace"})", "\u0939\u093F\u0928\u094D\u0926\u0940 e\u0301x 1\u00BD!"),
      (Pieces{"\u0939\u093F\u0928\u094D\u0926\u0940", "e\u0301x", "1", "\u00BD!"}));
  EXPECT_EQ(pieces(R"({"type": "Whitespace"})", "a\u24D0\u2122"), (Pieces{"a\u24D0", "\u2122"}));
}

// Of expressions: as Oniguruma has it.
TEST(PreTokenisers, WordsOfExpressionsHaveMarks) {
  const auto found = [](const std::string& expression, std::string_view from) {
    return pieces(R"({"type": "Split", "pattern": {"Regex": ")" + expression +
                      R"("}, "behavior": "Removed", "invert": true})",
                  from);
  };
  const std::string text = "e\u0301x 1\u00BD [w]";
  EXPECT_EQ(found(R"(\\w+)", text), (Pieces{"e\u0301x", "1", "w"}));
  EXPECT_EQ(found(R"([\\w\\]]+)", text), (Pieces{"e\u0301x", "1", "w]"}));
  EXPECT_EQ(found(R"([^\\w\\s]+)", text), (Pieces{"\u00BD", "[", "]"}));
  EXPECT_EQ(found(R"([]\\w]+)", text), (Pieces{"e\u0301x", "1", "w]"}));
  EXPECT_EQ(found(R"([^]\\w]+)", "e\u0301x 1]-"), (Pieces{" ", "-"}));
  EXPECT_EQ(found(R"([[:]\\w)", "a:b"), (Pieces{":b"}));
  EXPECT_EQ(found(R"([[:digit:]\\w]+)", text), (Pieces{"e\u0301x", "1", "w"}));
  EXPECT_EQ(found(R"(\\W+)", text), (Pieces{" ", "\u00BD [", "]"}));
  EXPECT_EQ(found(R"(\\b.+?\\b)", "e\u0301x!"), (Pieces{"e\u0301x"}));
  EXPECT_EQ(found(R"(\\B.)", "e\u0301x!"), (Pieces{"\u0301", "x"}));
  EXPECT_EQ(found(R"(.\\w)", "e\u0301x!"), (Pieces{"e\u0301"}));
  EXPECT_EQ(found("^e|x", "exe"), (Pieces{"e", "x"}));
  EXPECT_EQ(found(R"(\\\\w)", "\\w w"), (Pieces{"\\w"}));  // a backslash and a letter
}

TEST(PreTokenisers, CutAtMarksAndDigits) {
  EXPECT_EQ(pieces(R"({"type": "BertPreTokenizer"})", "Hey  you?!a$b_c\u00BFd\u3000~\x7F"),
            (Pieces{"Hey", "you", "?", "!", "a", "$", "b", "_", "c", "\u00BF", "d", "~", "\x7F"}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation"})", "a, b!!"), (Pieces{"a", ",", " b", "!", "!"}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation"})",
                   "a b\x7F~!\x1F"
                   "c"),
            (Pieces{"a b\x7F", "~", "!",
                    "\x1F"
                    "c"}));
  EXPECT_EQ(pieces(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a, b!!"),
            (Pieces{"a", ",", " b", "!!"}));
  EXPECT_EQ(pieces(R"({"type": "Digits"})", "Call 123 \u00BD!"),
            (Pieces{"Call ", "123", " ", "\u00BD", "!"}));
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": true})", "a12"),
            (Pieces{"a", "1", "2"}));
  EXPECT_EQ(pieces(R"({"type": "CharDelimiterSplit", "delimiter": "|"})", "a||b c|"),
            (Pieces{"a", "b c"}));
}

// The examples of that library's manual.
TEST(PreTokenisers, SplitAsTheyAreTold) {
  const std::string text = "the-final--countdown";
  EXPECT_EQ(pieces(split("Removed"), text), (Pieces{"the", "final", "countdown"}));
  EXPECT_EQ(pieces(split("Isolated"), text), (Pieces{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(pieces(split("MergedWithPrevious"), text),
            (Pieces{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(pieces(split("MergedWithNext"), text), (Pieces{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(pieces(split("Contiguous"), text), (Pieces{"the", "-", "final", "--", "countdown"}));
  EXPECT_EQ(pieces(split("Removed", R"(, "invert": true)"), text), (Pieces{"-", "-", "-"}));
  EXPECT_EQ(pieces(split("Contiguous", R"(, "invert": true)"), "-a--b"),
            (Pieces{"-", "a", "--", "b"}));
  EXPECT_EQ(pieces(R"({"type": "Split", "pattern": {"Regex": "[a-z]|!"}, "behavior": "Contiguous",
                       "invert": true})",
                   "ab! c"),
            (Pieces{"ab!", " ", "c"}));
  EXPECT_EQ(pieces(split("MergedWithPrevious", R"(, "invert": true)"), "-a--b"),
            (Pieces{"-a", "-", "-b"}));
  EXPECT_EQ(pieces(R"({"type": "Split", "pattern": {"Regex": "\\d+"}, "behavior": "Isolated"})",
                   "a12\u00E93"),
            (Pieces{"a", "12", "\u00E9", "3"}));
  EXPECT_EQ(pieces(R"({"type": "Split", "pattern": {"Regex": "x*"}, "behavior": "Isolated"})",
                   "\u00E9xxa"),
            (Pieces{"\u00E9", "xx", "a"}));
}

TEST(PreTokenisers, PutMarksForSpaces) {
  const auto with = [](const std::string& more) { return R"({"type": "Metaspace")" + more + "}"; };
  EXPECT_EQ(pieces(with(""), "a  b"), (Pieces{"\u2581a", "\u2581", "\u2581b"}));
  EXPECT_EQ(pieces(with(""), " a"), (Pieces{"\u2581a"}));
  EXPECT_EQ(pieces(with(R"(, "replacement": "_", "split": false)"), "a b"), (Pieces{"_a_b"}));
  EXPECT_EQ(pieces(with(R"(, "add_prefix_space": false)"), "a b"), (Pieces{"a", "\u2581b"}));
  EXPECT_EQ(pieces(with(R"(, "prepend_scheme": "never")"), "a b"), (Pieces{"a", "\u2581b"}));
  EXPECT_EQ(pieces(with(R"(, "prepend_scheme": "always", "add_prefix_space": false)"), "a"),
            (Pieces{"\u2581a"}));
  const std::string words =
      R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, )";
  EXPECT_EQ(pieces(words + with(R"(, "prepend_scheme": "first")") + "]}", "a b"),
            (Pieces{"\u2581a", "b"}));
  EXPECT_EQ(pieces(words + with(R"(, "prepend_scheme": "always")") + "]}", "a b"),
            (Pieces{"\u2581a", "\u2581b"}));
  EXPECT_EQ(places(cut(with(""), "\u00E9 b")[0]), (Places{{0, 2}, {0, 2}}));
}

TEST(PreTokenisers, CutAsGpt2Does) {
  const auto with = [](const std::string& more) { return R"({"type": "ByteLevel")" + more + "}"; };
  EXPECT_EQ(pieces(with(""), "I'm 20  old!\n"),
            (Pieces{"\u0120I", "'m", "\u012020", "\u0120", "\u0120old", "!", "\u010A"}));
  EXPECT_EQ(pieces(with(""), " a"), (Pieces{"\u0120a"}));
  EXPECT_EQ(pieces(with(R"(, "add_prefix_space": false)"), "a b"), (Pieces{"a", "\u0120b"}));
  EXPECT_EQ(pieces(with(R"(, "add_prefix_space": false, "use_regex": false)"), "a b!"),
            (Pieces{"a\u0120b!"}));
  EXPECT_EQ(pieces(with(""), ""), Pieces{});
  EXPECT_EQ(places(cut(with(""), "\u00E9")[0]), (Places{{0, 2}, {0, 2}, {0, 2}}));
}

TEST(PreTokenisers, AreReadStrictly) {
  const auto refuses = [](const std::string& json, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, part(json, read_pre_tokeniser)) << json;
  };
  refuses(R"({"type": "Metaspace", "replacement": "ab"})", "replacement must be one character");
  refuses(R"({"type": "Metaspace", "prepend_scheme": "last"})", "prepend_scheme is \"last\"");
  refuses(R"({"type": "CharDelimiterSplit", "delimiter": ""})", "delimiter must be one character");
  refuses(R"({"type": "Split", "pattern": {"Regex": "a\\"}, "behavior": "Isolated"})",
          R"(the expression "a\\": )");
  refuses(split("Sideways"), "behavior is \"Sideways\", which is not known");
  refuses(R"({"type": "Sequence", "pretokenizers": [{"type": "Saw"}]})", "type is \"Saw\"");
}

}  // namespace
}  // namespace heed::data::tokenizers
