#include "../../pretrained/scored_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "../../core/error.h"
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
