#include "../../../data/tokenizers/added_tokens.h"

#include <gtest/gtest.h>

#include "../../../core/error.h"
#include "../../../data/tokenizers/unicode.h"
#include "../../support/throws.h"
#include "part.h"

namespace heed::data::tokenizers {
namespace {

AddedTokens added(const std::string& json) {
  return part(json, [](const JsonView& view) { return AddedTokens(view, lower); });
}

// "text|<token>|text": where the text is cut.
std::string cut(const std::string& json, std::string_view from, bool normalised = false) {
  std::string out;
  for (const Found& each : added(json).cut(characters(from), normalised)) {
    if (!out.empty()) out += '|';
    out += each.token != nullptr ? "<" + utf8(each.text) + ">" : utf8(each.text);
  }
  return out;
}

std::string token(const std::string& content, const std::string& flags = "") {
  return R"([{"id": 7, "content": ")" + content + "\"" + flags + "}]";
}

TEST(AddedTokens, AreCutOut) {
  EXPECT_EQ(cut("null", "a b"), "a b");
  EXPECT_EQ(cut(token("ab"), "xabaab"), "x|<ab>|a|<ab>");
  EXPECT_EQ(cut(token("ab"), "ab"), "<ab>");
  EXPECT_EQ(cut(token("ab"), "a"), "a");
  EXPECT_EQ(cut(token("ab"), ""), "");
  EXPECT_EQ(
      cut(R"([{"id": 1, "content": "a"}, {"id": 2, "content": "abc"}, {"id": 3, "content": "ab"}])",
          "abca abx"),
      "<abc>|<a>| |<ab>|x");
}

TEST(AddedTokens, TakeWhiteSpaceWhereTold) {
  EXPECT_EQ(cut(token("T"), "a \tT  b"), "a \t|<T>|  b");
  EXPECT_EQ(cut(token("T", R"(, "lstrip": true)"), "a \tT  b"), "a|< \tT>|  b");
  EXPECT_EQ(cut(token("T", R"(, "rstrip": true)"), "a \tT  b"), "a \t|<T  >|b");
  EXPECT_EQ(cut(token("T", R"(, "lstrip": true, "rstrip": true)"), " T T "), "< T >|<T >");
}

TEST(AddedTokens, StandAloneWhereTold) {
  const std::string word = token("in", R"(, "single_word": true)");
  EXPECT_EQ(cut(word, "in inn-in, bin in"), "<in>| inn-|<in>|, bin |<in>");
  EXPECT_EQ(cut(word, "_in in_"), "_in in_");
}

TEST(AddedTokens, AreLookedForAsTheyAreOrNormalised) {
  const std::string raw = token("AB"), own = token("AB", R"(, "normalized": true)");
  EXPECT_EQ(cut(raw, "xABab"), "x|<AB>|ab");
  EXPECT_EQ(cut(raw, "xABab", true), "xABab");
  EXPECT_EQ(cut(own, "xABab"), "xABab");
  EXPECT_EQ(cut(own, "xABab", true), "xAB|<ab>");
}

TEST(AddedTokens, AreFoundWithinTheTextAlone) {
  EXPECT_TRUE(added("null").cut({}, false).empty());
  EXPECT_TRUE(added(token("ab")).cut({}, false).empty());
  Text text = characters("xab");
  text.pop_back();
  EXPECT_EQ(added(token("ab")).cut(text, false).size(), 1U);
}

TEST(AddedTokens, OfTwoThatAreAlikeWhenNormalisedTheFirstIsFound) {
  const auto all = added(R"([{"id": 5, "content": "AB", "normalized": true},
                             {"id": 3, "content": "Ab", "normalized": true}])");
  const auto found = all.cut(characters("ab"), true);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].token, all.of(5));
}

TEST(AddedTokens, OfWhichNothingIsLeftWhenNormalisedAreNotFound) {
  const auto all = part(token("A", R"(, "normalized": true)"), [](const JsonView& view) {
    return AddedTokens(view, [](Text& text) { text.clear(); });
  });
  const auto found = all.cut(characters(std::string_view("a\0b", 3)), true);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].token, nullptr);
}

TEST(AddedTokens, AreFoundByNumberAndContent) {
  const AddedTokens all =
      added(R"([{"id": 9, "content": "b", "special": true}, {"id": 4, "content": "a"}])");
  EXPECT_EQ(all.largest(), 9);
  EXPECT_EQ(added("[]").largest(), -1);
  ASSERT_NE(all.of(9), nullptr);
  EXPECT_EQ(all.of(9)->content, "b");
  EXPECT_TRUE(all.of(9)->special);
  EXPECT_FALSE(all.of(4)->special);
  EXPECT_EQ(all.of("a"), all.of(4));
  EXPECT_EQ(all.of(5), nullptr);
  EXPECT_EQ(all.of("c"), nullptr);
}

TEST(AddedTokens, AreReadStrictly) {
  const auto refuses = [](const std::string& json, const std::string& message) {
    EXPECT_ERROR_WITH(FormatError, message, added(json)) << json;
  };
  refuses(R"([{"id": -1, "content": "a"}])", "id is negative");
  refuses(R"([{"id": 1073741825, "content": "a"}])", "id is 1073741825");
  EXPECT_EQ(added(R"([{"id": 1073741824, "content": "a"}])").largest(), kLargestId);
  EXPECT_EQ(added(R"([{"id": 0, "content": "a"}])").largest(), 0);
  refuses(R"([{"id": 1, "content": ""}])", "content is empty");
  refuses(R"([{"id": 1, "content": "a"}, {"id": 2, "content": "a"}])", "\"a\" is there twice");
}

}  // namespace
}  // namespace heed::data::tokenizers
