#include "../../pretrained/scored_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::pretrained {
namespace {

// Of each token its score, and the text.
std::string tokens_of(const std::vector<std::pair<float, std::string>>& tokens) {
  std::string out(4, '\0');
  const std::int32_t longest = 7;
  std::memcpy(out.data(), &longest, 4);
  for (const auto& [score, text] : tokens) {
    const auto length = static_cast<std::int32_t>(text.size());
    out.append(reinterpret_cast<const char*>(&score), 4);
    out.append(reinterpret_cast<const char*>(&length), 4);
    out += text;
  }
  return out;
}

const std::vector<std::pair<float, std::string>> kTokens = {
    {0, "<unk>"}, {0, "<s>"},  {0, "</s>"}, {0, "<0xC3>"}, {0, "<0xA4>"}, {-1, " a"},
    {-2, "ab"},   {-3, "abb"}, {-9, " "},   {-9, "a"},     {-9, "b"},     {-4, "ba"}};

TEST(ScoredTokens, TheBestPairIsJoinedFirst) {
  const TemporaryFolder folder;
  const ScoredTokens tokens(folder.write("t", tokens_of(kTokens)), 12);
  using testing::ElementsAre;
  EXPECT_THAT(tokens.encode(""), ElementsAre());
  EXPECT_THAT(tokens.encode("abb", false), ElementsAre(7));
  EXPECT_THAT(tokens.encode("abb"), ElementsAre(5, 10, 10));  // " a" before "ab"
  EXPECT_THAT(tokens.encode("babb"), ElementsAre(8, 10, 7));  // "ab" before "ba", then "abb"
  EXPECT_THAT(tokens.encode("\u00e4"), ElementsAre(8, 3, 4));
  EXPECT_EQ(tokens.decode(tokens.encode("babb \u00e4 a")), "babb \u00e4 a");
  EXPECT_EQ(tokens.decode({5, 5}), "a a");
  EXPECT_ERROR_WITH(ValueError, "no bytes", tokens.encode("c"));
  EXPECT_ERROR_WITH(ValueError, "UTF-8", tokens.encode("\xff"));
  EXPECT_THROW(tokens.decode({12}), IndexError);
}

// As it is defined: of all pairs the best is joined, the leftmost of equals, until there is none.
std::vector<Index> joined_plainly(std::vector<Index> tokens,
                                  const std::vector<std::pair<float, std::string>>& known) {
  const auto text = [&](Index token) { return known[static_cast<std::size_t>(token)].second; };
  for (;;) {
    float best = -std::numeric_limits<float>::infinity();
    std::size_t where = tokens.size();
    Index joined = -1;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      for (std::size_t k = 0; k < known.size(); ++k) {
        if (known[k].second != text(tokens[i]) + text(tokens[i + 1])) continue;
        if (known[k].first > best) {
          best = known[k].first;
          where = i;
          joined = static_cast<Index>(k);
        }
        break;  // the first of that text
      }
    }
    if (joined < 0) return tokens;
    tokens[where] = joined;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(where) + 1);
  }
}

TEST(ScoredTokens, AreJoinedAsDefined) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<float, std::string>> known = {
      {0, "a"},       {0, "b"},    {-2, "ab"},   {-2, "ba"},     {-3, "aa"},
      {-3, "bb"},     {-2, "aab"}, {-1, "abab"}, {-kInf, "bba"}, {std::nanf(""), "aaa"},
      {kInf, "bbbb"}, {-3, "abb"}, {-1, "ab"},   {0.5F, "baba"}, {-2, "aabb"}};
  const TemporaryFolder folder;
  const ScoredTokens tokens(folder.write("t", tokens_of(known)), std::ssize(known));
  Generator random(7);
  for (Index length = 0; length < 61; ++length) {
    for (int i = 0; i < 13; ++i) {
      std::string text;
      std::vector<Index> letters;
      for (Index k = 0; k < length; ++k) {
        letters.push_back(random.below(2));
        text += letters.back() == 0 ? 'a' : 'b';
      }
      ASSERT_EQ(tokens.encode(text, false), joined_plainly(letters, known)) << text;
    }
  }
}

TEST(ScoredTokens, FilesAreReadStrictly) {
  const TemporaryFolder folder;
  const std::string bytes = tokens_of(kTokens);
  const auto read = [&](const std::string& content, Index count) {
    return ScoredTokens(folder.write("t", content), count).size();
  };
  EXPECT_EQ(read(bytes, 12), 12);
  EXPECT_ERROR_WITH(FormatError, "the file ends within a token's score", read(bytes, 13));
  EXPECT_ERROR_WITH(FormatError, "bytes behind 11 tokens", read(bytes, 11));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_THROW(read(bytes.substr(0, cut), 12), FormatError);
  }
  EXPECT_ERROR_WITH(FormatError, "has 8 bytes, the longest 7",
                    read(tokens_of({{0, "12345678"}}), 1));
}

}  // namespace
}  // namespace heed::pretrained
