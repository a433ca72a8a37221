#include "../../data/labelled_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "../../core/error.h"
#include "../../data/document.h"
#include "../../data/text_file.h"
#include "../support/places.h"
#include "../support/throws.h"
#include "../support/zstd.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

// Every text as "line|label|text", or the error.
std::vector<std::string> read_all(const std::string& path, const LabelledTextOptions& options) {
  const auto reader = open_labelled_text(path, options);
  std::vector<std::string> out;
  for (LabelledText read; reader->next(read);) {
    out.push_back(std::to_string(read.line) + "|" + read.label + "|" + read.text);
  }
  return out;
}

using Lines = std::vector<std::string>;

TEST(LabelledText, ChoosesTheReaderByFormatOrName) {
  const TemporaryFile tsv("pos\tgood\n", "a.tsv");
  const TemporaryFile jsonl(gzip("{\"y\": \"pos\", \"x\": \"good\"}\n"), "a.jsonl.gz");
  const TemporaryFile other("pos\tgood\n", "a.txt");
  EXPECT_EQ(read_all(tsv.path(), {"", "1", "2"}), Lines{"1|pos|good"});
  EXPECT_EQ(read_all(jsonl.path(), {"", "y", "x"}), Lines{"1|pos|good"});
  const TemporaryFile zst(zstd("{\"y\": \"pos\", \"x\": \"good\"}\n"), "a.jsonl.zst");
  EXPECT_EQ(read_all(zst.path(), {"", "y", "x"}), Lines{"1|pos|good"});
  EXPECT_EQ(read_all(other.path(), {"tsv", "1", "2"}), Lines{"1|pos|good"});
  EXPECT_ERROR(ValueError, other.path() + ": the name tells no format; choose tsv or jsonl",
               read_all(other.path(), {"", "1", "2"}));
  EXPECT_ERROR(ValueError, tsv.path() + ": unknown format \"csv\"; known are tsv and jsonl",
               read_all(tsv.path(), {"csv", "1", "2"}));
}

TEST(LabelledText, ReadsTheReviewsOfImdb) {
  const std::string path = data_folder() + "/imdb/train_5k.tsv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  std::map<std::string, int> labels;
  std::size_t words = 0;
  const auto reader = open_labelled_text(path, {"", "1", "4"});
  for (LabelledText read; reader->next(read);) {
    ++labels[read.label];
    const Document document = make_document(read.text, {});
    ASSERT_FALSE(document.sentences.empty()) << path << ":" << read.line;
    for (const auto& sentence : document.sentences) words += sentence.size();
  }
  EXPECT_EQ(labels, (std::map<std::string, int>{{"0", 2500}, {"1", 2500}}));
  EXPECT_GT(words, 1000000U);
}

TEST(LabelledText, ReadsTheArticlesOfTheBbc) {
  const std::string path = data_folder() + "/bbc_news/bbc.jsonl.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  std::map<std::string, int> labels;
  const auto reader = open_labelled_text(path, {"jsonl", "label", "title,paragraphs"});
  for (LabelledText read; reader->next(read);) {
    ++labels[read.label];
    EXPECT_GT(make_document(read.text, {}).sentences.size(), 1U) << path << ":" << read.line;
  }
  EXPECT_EQ(labels, (std::map<std::string, int>{{"business", 510},
                                                {"entertainment", 386},
                                                {"politics", 417},
                                                {"sport", 511},
                                                {"tech", 401}}));
}

TEST(LabelledText, ReadsChinese) {
  const std::string path = data_folder() + "/cmrc_cft/cft.test.human.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  TextFile file(path);
  std::string line;
  WordCounts counts;
  while (file.next(line)) count_words(make_document(line, {}), counts);
  EXPECT_GT(counts["的"], 10000);
  EXPECT_GT(counts["。"], 10000);
  EXPECT_EQ(counts["\uFFFD"], 0);
}

}  // namespace
}  // namespace heed::data
