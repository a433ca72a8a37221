#include "../../train/length_bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::HasSubstr;

// A sentence of so many words.
std::string words(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i > 0 ? " w" : "w") + std::to_string(i);
  return out;
}

TEST(LengthBleu, LooksAtLengthsApart) {
  const std::vector<std::string> sources = {words(5), words(6), words(31), words(53), words(7)};
  std::vector<std::string> ours = sources;
  ours[3] = "nothing of it";
  const auto rows = bleu_by_length(ours, sources, sources);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].from, 1);
  EXPECT_EQ(rows[0].to, 5);
  EXPECT_EQ(rows[1].sentences, 2);
  EXPECT_DOUBLE_EQ(rows[1].bleu, 100);
  EXPECT_EQ(rows[2].to, 0);
  EXPECT_LT(rows[2].bleu, 50);
  EXPECT_THAT(to_string(rows),
              testing::StartsWith("  sources of  1 to 5    words: BLEU 100.00  (1 sentences)\n"));
  EXPECT_THAT(to_string(rows), HasSubstr("31 to more words"));
  EXPECT_THAT(length_chart({{"ours", rows}}), HasSubstr("BLEU by length"));
  EXPECT_THROW(bleu_by_length(ours, sources, {}), ValueError);
  EXPECT_ERROR(ValueError, "bleu_by_length: there are no lines", bleu_by_length({}, {}, {}));
  EXPECT_TRUE(bleu_by_length({"a"}, {"a"}, {""}).empty());  // a source without a word is in no row
}

// Ideographs stand without blanks, each a word.
TEST(LengthBleu, CountsWordsThatStandWithoutBlanks) {
  const std::vector<std::string> sources = {"\u8fd9\u662f\u4e00\u53ea\u72d7\u3002 ok",
                                            "\u72d7\u53eb"};
  const auto rows = bleu_by_length(sources, sources, sources);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].to, 5);
  EXPECT_EQ(rows[1].from, 6);
}

}  // namespace
}  // namespace heed::train
