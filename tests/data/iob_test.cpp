#include "../../data/iob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../../core/error.h"
#include "../support/places.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr const char* kSentences =
    "\n"
    "ice\tB\tO\r\n"
    "cream\tI\tO\n"
    "superb\tO\tB-GOOD\n"
    "taste\tB\tI-GOOD\n"
    "\n"
    "\n"
    "2\xc2\xa0"
    "1/2\tB\tB-X\n"
    "d\xc3\xa9"
    "cor\tB\tB-Y";

TEST(Iob, ReadsSentences) {
  for (const std::string& content : {std::string(kSentences), gzip(kSentences)}) {
    const TemporaryFile file(content);
    const auto sentences = read_iob(file.path(), 2);
    ASSERT_EQ(sentences.size(), 2U);
    EXPECT_THAT(sentences[0].words, ElementsAre("ice", "cream", "superb", "taste"));
    ASSERT_EQ(sentences[0].tags.size(), 2U);
    EXPECT_THAT(sentences[0].tags[0], ElementsAre("B", "I", "O", "B"));
    EXPECT_THAT(sentences[0].tags[1], ElementsAre("O", "O", "B-GOOD", "I-GOOD"));
    EXPECT_EQ(sentences[0].line, 2U);
    EXPECT_THAT(sentences[1].words, ElementsAre("2\xc2\xa0"
                                                "1/2",
                                                "d\xc3\xa9"
                                                "cor"));
    EXPECT_THAT(sentences[1].tags[1], ElementsAre("B-X", "B-Y"));
    EXPECT_EQ(sentences[1].line, 8U);
  }
  const TemporaryFile one("a\tO\n");
  EXPECT_THAT(read_iob(one.path(), 1)[0].tags, ElementsAre(ElementsAre("O")));
}

std::string complaint(const std::string& content) {
  const TemporaryFile file(content);
  const std::string message = message_of<FormatError>([&] { read_iob(file.path(), 2); });
  EXPECT_THAT(message, StartsWith(file.path() + ":"));
  return message.substr(std::min(message.size(), file.path().size() + 1));
}

TEST(Iob, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(""), "1: iob: the file has no sentence");
  EXPECT_EQ(complaint("\n\n"), "3: iob: the file has no sentence");
  EXPECT_EQ(complaint("a\tO\tO\nb\tO\n"), "2: iob: 2 columns, but a word and 2 tags are wanted");
  EXPECT_EQ(complaint("a\tO\tO\tO\n"), "1: iob: 4 columns, but a word and 2 tags are wanted");
  EXPECT_EQ(complaint(" \n"), "1: iob: 1 columns, but a word and 2 tags are wanted");
  EXPECT_EQ(complaint("\tO\tO\n"), "1: iob: no word");
  for (const char* tag : {"", "b", "E", "OO", "O-X", "B-", "BX", "I-", " O"}) {
    EXPECT_EQ(complaint(std::string("a\tO\tO\nb\tO\t") + tag + "\n"),
              std::string("2: iob: \"") + tag + "\" is no tag: B, I or O");
  }
  EXPECT_EQ(complaint("a\tO\tI\n"), "1: iob: \"I\" goes on with no span");
  EXPECT_EQ(complaint("a\tB\tO\nb\tO\tO\nc\tI\tO\n"), "3: iob: \"I\" goes on with no span");
  EXPECT_EQ(complaint("a\tB\tO\n\nb\tI\tO\n"), "3: iob: \"I\" goes on with no span");
  EXPECT_EQ(complaint("a\tB-X\tO\nb\tI-Y\tO\n"), "2: iob: \"I-Y\" goes on with no span");
  EXPECT_EQ(complaint("a\tB-X\tO\nb\tI\tO\n"), "2: iob: \"I\" goes on with no span");
  EXPECT_EQ(complaint("a\xff\tO\tO\n"), "1: iob: is not UTF-8");
  EXPECT_EQ(complaint("a\x1b\tO\tO\n"), "1: iob: has a control character");
  EXPECT_EQ(complaint("a\x7f\tO\tO\n"), "1: iob: has a control character");
  EXPECT_THAT(message_of<IoError>([] { read_iob("/no/such/file", 2); }),
              StartsWith("/no/such/file: "));
  EXPECT_ERROR(ValueError, "iob: 0 columns of tags must be positive", read_iob("any", 0));
}

TEST(Iob, ASentenceHasAnEnd) {
  std::string lines;
  for (Index i = 0; i < kLongestTagged; ++i) lines += "a\tO\tO\n";
  const TemporaryFile file(lines);
  EXPECT_EQ(read_iob(file.path(), 2)[0].words.size(), 1000U);
  EXPECT_EQ(complaint(lines + "a\tO\tO\n"), "1001: iob: a sentence of more than 1000 words");
}

TEST(Iob, TagsHaveLabels) {
  EXPECT_THAT(iob_labels({"B", "I-X", "O", "B-Y"}), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(iob_tags({2, 0, 1}), ElementsAre("O", "B", "I"));
  EXPECT_ERROR(ValueError, "iob: \"E\" is no tag: B, I or O", iob_labels({"O", "E"}));
  EXPECT_ERROR(ValueError, "iob: no label 3", iob_tags({0, 3}));
  EXPECT_ERROR(ValueError, "iob: no label -1", iob_tags({-1}));
}

TEST(Iob, ReadsTheReviewsOfSemEval) {
  const std::string folder = data_folder() + "/aspect_opinion";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
  const auto sentences = read_iob(folder + "/semeval14_restaurants_test.iob.tsv.gz", 2);
  EXPECT_EQ(sentences.size(), 800U);
  std::size_t aspects = 0, opinions = 0;
  for (const TaggedSentence& sentence : sentences) {
    for (const std::string& tag : sentence.tags[0]) aspects += tag == "B";
    for (const std::string& tag : sentence.tags[1]) opinions += tag == "B";
  }
  EXPECT_EQ(aspects, 1134U);
  EXPECT_EQ(opinions, 1000U);
}

}  // namespace
}  // namespace heed::data
