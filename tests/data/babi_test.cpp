#include "../../data/babi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "../../core/error.h"
#include "../support/places.h"
#include "../support/throws.h"
#include "temporary_file.h"

namespace heed::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kStories =
    "1 Mary moved to the bathroom.\n"
    "2 John went to the hallway.\n"
    "3 Where is Mary? \tbathroom\t1\n"
    "4 Mary got the football there .\n"
    "5 What does Mary carry?\tfootball,Milk\t4 1\n"
    "1 It is dark.\n"
    "2 Why?\tno\t\n";

TEST(Babi, ReadsStories) {
  for (const std::string& content : {std::string(kStories), gzip(kStories)}) {
    const TemporaryFile file(content);
    const auto stories = read_babi(file.path());
    ASSERT_EQ(stories.size(), 2U);
    ASSERT_EQ(stories[0].sentences.size(), 3U);
    EXPECT_THAT(stories[0].sentences[0], ElementsAre("mary", "moved", "to", "the", "bathroom"));
    EXPECT_THAT(stories[0].sentences[2], ElementsAre("mary", "got", "the", "football", "there"));
    ASSERT_EQ(stories[0].questions.size(), 2U);
    const BabiQuestion &first = stories[0].questions[0], &second = stories[0].questions[1];
    EXPECT_THAT(first.words, ElementsAre("where", "is", "mary"));
    EXPECT_EQ(first.answer, "bathroom");
    EXPECT_EQ(first.known, 2U);
    EXPECT_EQ(first.line, 3U);
    EXPECT_THAT(first.supports, ElementsAre(0U));
    EXPECT_EQ(second.answer, "football,milk");
    EXPECT_EQ(second.known, 3U);
    EXPECT_THAT(second.supports, ElementsAre(2U, 0U));
    EXPECT_THAT(stories[1].questions[0].supports, IsEmpty());
  }
}

TEST(Babi, WordsAreInLowerCase) {
  const TemporaryFile file("1 AZ az @[`{ \u00C9.\n2 Where is Zoe?\tZA\t1\n");
  const auto stories = read_babi(file.path());
  EXPECT_THAT(stories[0].sentences[0], ElementsAre("az", "az", "@[`{", "\u00C9"));
  EXPECT_THAT(stories[0].questions[0].words, ElementsAre("where", "is", "zoe"));
  EXPECT_EQ(stories[0].questions[0].answer, "za");
}

std::string complaint(const std::string& content) {
  const TemporaryFile file(content);
  const std::string message = message_of<FormatError>([&] { read_babi(file.path()); });
  EXPECT_THAT(message, StartsWith(file.path() + ":"));
  return message.substr(std::min(message.size(), file.path().size() + 1));
}

TEST(Babi, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(""), "1: babi: the file has no story");
  EXPECT_EQ(complaint("1 A b.\n"), "1: babi: the story that ends here has no question");
  EXPECT_EQ(complaint("1 A b.\n1 C d.\n2 E?\tf\t1\n"),
            "1: babi: the story that ends here has no question");
  EXPECT_EQ(complaint("2 A b.\n"), "1: babi: is number 2; the first must be 1");
  EXPECT_EQ(complaint("1 A b.\n3 C d.\n"), "2: babi: is number 3; the next must be 2 or 1");
  const std::string no_number = "babi: does not begin with its number and a space";
  for (const char* line :
       {"A b.", "", " 1 A b.", "0 A b.", "-1 A b.", "1", "1A b.", "99999999999999999999 A b."}) {
    EXPECT_EQ(complaint(std::string(line) + "\n"), "1: " + no_number) << line;
  }
  EXPECT_EQ(complaint("1 A b\n"), "1: babi: a sentence must end in .");
  EXPECT_EQ(complaint("1  . \n"), "1: babi: a sentence has no words");
  EXPECT_EQ(complaint("1 A b.\n2 C d.\tx\t1\n"), "2: babi: a question must end in ?");
  EXPECT_EQ(complaint("1 A b.\n2 ?\tx\t1\n"), "2: babi: a question has no words");
  const std::string columns =
      "2: babi: a question must have three columns: itself, its answer, the lines that it rests on";
  EXPECT_EQ(complaint("1 A b.\n2 C?\tx\n"), columns);
  EXPECT_EQ(complaint("1 A b.\n2 C?\tx\t1\t1\n"), columns);
  EXPECT_EQ(complaint("1 A b.\n2 C?\t \t1\n"), "2: babi: a question has no answer");
  for (const char* support : {"2", "3", "0", "-1", "x", "1x", "1,1"}) {
    EXPECT_EQ(complaint(std::string("1 A b.\n2 C?\tx\t") + support + "\n"),
              std::string("2: babi: \"") + support + "\" is no sentence before the question");
  }
  EXPECT_EQ(complaint("1 A b.\n2 C?\tx\t1\n3 D?\ty\t1 2\n"),
            "3: babi: \"2\" is no sentence before the question");
  EXPECT_EQ(complaint("1 A \xff.\n"), "1: babi: is not UTF-8");
  EXPECT_EQ(complaint(std::string("1 A\0b.\n", 7)), "1: babi: has a control character");
  EXPECT_THAT(message_of<IoError>([] { read_babi("/no/such/file"); }),
              StartsWith("/no/such/file: "));
}

// The members of a tar archive, plain files only.
std::vector<std::pair<std::string, std::string>> members(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> out;
  gzFile archive = gzopen(path.c_str(), "rb");
  std::string block(512, '\0');
  const auto next = [&] { return gzread(archive, block.data(), 512) == 512 && block[0] != '\0'; };
  while (next()) {
    const std::size_t size = std::stoul(block.substr(124, 11), nullptr, 8);
    const std::string name = block.c_str();
    std::string content((size + 511) / 512 * 512, '\0');
    gzread(archive, content.data(), static_cast<unsigned>(content.size()));
    content.resize(size);
    if (name.ends_with(".txt")) out.emplace_back(name, std::move(content));
  }
  gzclose(archive);
  return out;
}

TEST(Babi, ReadsTheTwentyTasks) {
  const std::string path = data_folder() + "/babi/en.tar.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const auto files = members(path);
  EXPECT_EQ(files.size(), 40U);
  for (const auto& [name, content] : files) {
    const TemporaryFile file(content);
    std::size_t questions = 0;
    for (const BabiStory& story : read_babi(file.path())) questions += story.questions.size();
    EXPECT_EQ(questions, 1000U) << name;
  }
}

}  // namespace
}  // namespace heed::data
