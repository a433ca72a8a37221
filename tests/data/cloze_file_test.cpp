#include "../../data/cloze_file.h"

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
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kHens =
    "1 ||| a hen found\u3000a seed .\r\n"
    "2 ||| \n"
    "3 ||| nobody  helped \u201c the hen\n"
    "4 ||| the XXXXX, found it . ||| hen\n"
    "1 ||| \u6bcd\u9e21 \u53eb\n"
    "2 ||| \u300aXXXXX \u53eb ||| \u6bcd\u9e21";

TEST(ClozeFiles, HaveTheAnswerBehindTheQuery) {
  for (const std::string& content : {std::string(kHens), gzip(kHens)}) {
    const TemporaryFile file(content);
    const ClozeFile read = read_cloze(file.path());
    EXPECT_EQ(read.left_out, 0);
    ASSERT_EQ(read.rows.size(), 2U);
    EXPECT_THAT(read.rows[0].passage,
                ElementsAre(ElementsAre("a", "hen", "found", "a", "seed", "."),
                            ElementsAre("nobody", "helped", "\u201c", "the", "hen")));
    EXPECT_THAT(read.rows[0].query, ElementsAre("the", "XXXXX", ",", "found", "it", "."));
    EXPECT_EQ(read.rows[0].answer, "hen");
    EXPECT_EQ(read.rows[0].line, 4U);
    EXPECT_EQ(read.rows[0].id, -1);
    EXPECT_THAT(read.rows[1].query, ElementsAre("\u300a", "XXXXX", "\u53eb"));
    EXPECT_EQ(read.rows[1].answer, "\u6bcd\u9e21");
    EXPECT_EQ(read.rows[1].line, 6U);
  }
}

constexpr const char* kAsked =
    "1 ||| ann ran .\n<qid_7> ||| XXXXX ran\n1 ||| ben sat .\n2 ||| he ate .\n<qid_3> ||| who ate "
    "?\n";

TEST(ClozeFiles, HaveTheAnswersInAFileOfTheirOwn) {
  const TemporaryFile file(kAsked), answers("<qid_7> ||| ann\n<qid_3> ||| ben\n");
  const ClozeFile read = read_cloze(file.path(), answers.path(), {.questions = true});
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[0].answer, "ann");
  EXPECT_EQ(read.rows[0].id, 7);
  EXPECT_EQ(read.rows[1].answer, "ben");
  EXPECT_THAT(read.rows[1].query, ElementsAre("who", "ate", "?"));
  EXPECT_EQ(read_cloze(file.path(), "", {.questions = true}).rows[1].answer, "");
}

TEST(ClozeFiles, LeaveOutWhatMakesNoSense) {
  const TemporaryFile file(
      "1 ||| a b\n2 ||| XXXXX b ||| c\n1 ||| a b\n2 ||| XXXXX b ||| a\n"
      "1 ||| a\n2 |||  ||| a\n1 ||| a\n2 ||| b ||| a\n1 ||| XXXXX ||| a\n");
  const ClozeFile read = read_cloze(file.path(), "", {}, true);
  EXPECT_EQ(read.left_out, 4);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].line, 4U);
}

std::string complaint(const std::string& content, const std::string& answers = "",
                      const ClozeOptions& options = {}) {
  const TemporaryFile file(content), other(answers);
  std::string message = message_of<FormatError>(
      [&] { read_cloze(file.path(), answers.empty() ? "" : other.path(), options); });
  for (const auto* each : {&file, &other}) {
    const std::size_t at = message.find(each->path() + ":");
    if (at == 0)
      message = (each == &other ? "answers:" : "") + message.substr(each->path().size() + 1);
  }
  return message;
}

TEST(ClozeFiles, SayWhatIsWrong) {
  const char* const kNone =
      "neither \"N ||| sentence\", \"N ||| query ||| answer\" nor \"<qid_N> ||| query\"";
  EXPECT_EQ(complaint(""), "1: cloze: the file has no query");
  EXPECT_EQ(complaint("1 ||| a\n"), "1: cloze: sentences without a query");
  for (const char* line : {"", "a", "1", "1 ||| a ||| b ||| c", "<qid_0> ||| a ||| b", "<qid_0>"}) {
    EXPECT_EQ(complaint(std::string(line) + "\n"), std::string("1: cloze: ") + kNone) << line;
  }
  for (const char* number :
       {"2", "0", "-1", "x", "", "1.", "<qid_x>", "<qid_>", "99999999999999999999"}) {
    EXPECT_THAT(complaint(std::string(number) + " ||| a\n"),
                StartsWith("1: cloze: the line's number is \""))
        << number;
  }
  EXPECT_EQ(complaint("1 ||| a\n1 ||| b\n"), "2: cloze: the line's number is \"1\", not 2");
  EXPECT_EQ(complaint("1 ||| XXXXX ||| a\n"), "1: cloze: no passage before the query");
  EXPECT_EQ(complaint("1 |||\n2 ||| XXXXX ||| a\n"), "2: cloze: no passage before the query");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| ||| a\n"), "2: cloze: the query has no words");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| b ||| a\n"), "2: cloze: no XXXXX in the query");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| XXXXXXXXXX ||| a\n"), "2: cloze: 2 blanks in the query");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| XXXXX ||| b\n"),
            "2: cloze: the answer \"b\" is no word of the passage");
  EXPECT_EQ(complaint("1 ||| XXXXX\n2 ||| XXXXX ||| XXXXX\n"),
            "2: cloze: the passage has no word but the blank");
  EXPECT_EQ(complaint("1 ||| a XXXXX\n2 ||| XXXXX ||| XXXXX\n"),
            "2: cloze: the answer \"XXXXX\" is no word of the passage");
  EXPECT_EQ(complaint("1 ||| a b\n2 ||| XXXXX ||| a b\n"), "2: cloze: an answer of 2 words, not 1");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| XXXXX |||\n"), "2: cloze: an answer of 0 words, not 1");
  EXPECT_EQ(complaint("1 ||| a\xff\n"), "1: cloze: is not UTF-8");
  EXPECT_EQ(complaint("1 ||| a\tb\n"), "1: cloze: has a control character");
  EXPECT_EQ(complaint("1 ||| a\x7f\n"), "1: cloze: has a control character");
  EXPECT_THAT(message_of<IoError>([] { read_cloze("/no/such/file"); }),
              StartsWith("/no/such/file: "));
}

TEST(ClozeFiles, SayWhatIsWrongWithAnswers) {
  const ClozeOptions questions{.questions = true};
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| ann\n<qid_3> ||| ben\n"),
            "5: cloze: no XXXXX in the query");
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| ann\n", questions),
            "answers:1: cloze: no answer to <qid_3>");
  const TemporaryFile asked(kAsked), none("");
  EXPECT_ERROR(FormatError, none.path() + ":1: cloze: no answer to <qid_7>",
               read_cloze(asked.path(), none.path(), questions));
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| ann\n<qid_4> ||| ben\n", questions),
            "answers:2: cloze: answers <qid_4>, not <qid_3>");
  EXPECT_EQ(complaint(kAsked, "<qid_7> ann\n", questions),
            "answers:1: cloze: is not \"<qid_N> ||| answer\"");
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| ann ben\n", questions),
            "answers:1: cloze: an answer of 2 words, not 1");
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| ann\n<qid_3> ||| ben\n<qid_4> ||| x\n", questions),
            "answers:3: cloze: an answer to no query");
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| \xff\n", questions), "answers:1: cloze: is not UTF-8");
  EXPECT_EQ(complaint(kAsked, "<qid_7> ||| zoe\n", questions),
            "2: cloze: the answer \"zoe\" is no word of the passage");
}

TEST(ClozeFiles, HaveAnEnd) {
  std::string words;
  for (Index i = 0; i < kLongestCloze; ++i) words += "a ";
  const std::string row = "1 ||| " + words + "\n2 ||| XXXXX ||| a\n";
  const TemporaryFile file(row);
  EXPECT_EQ(read_cloze(file.path(), "", {.passage = 5000}).rows[0].passage[0].size(), 5000U);
  EXPECT_EQ(complaint(row, "", {.passage = 4999}), "2: cloze: a passage of 5000 words, above 4999");
  EXPECT_EQ(complaint("1 ||| " + words + "a\n"), "1: cloze: a passage of more than 5000 words");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| XXXXX " + words + " ||| a\n"),
            "2: cloze: a query of more than 5000 words");
  EXPECT_EQ(complaint("1 ||| a\n2 ||| XXXXX b c ||| a\n", "", {.query = 2}),
            "2: cloze: a query of 3 words, above 2");
}

TEST(ClozeLinesTest, GoOnFromRowToRow) {
  ClozeLines lines("there");
  EXPECT_FALSE(lines.finish());
  EXPECT_FALSE(lines.take("1 ||| a b", 5));
  EXPECT_ERROR(FormatError, "there:5: cloze: sentences without a query", lines.finish());
  EXPECT_TRUE(lines.take("<qid_4> ||| XXXXX b", 6));
  EXPECT_EQ(lines.row().line, 6U);
  EXPECT_FALSE(lines.finish());
  EXPECT_FALSE(lines.take("1 ||| c", 7));
  EXPECT_THAT(lines.row().passage, ElementsAre(ElementsAre("c")));
  EXPECT_EQ(lines.row().id, -1);
  EXPECT_EQ(passage_length(lines.row()), 1);
}

// As people write them: the query last, an empty line behind.
TEST(ClozeLinesTest, TakePlainPassages) {
  ClozeLines lines("there", true);
  EXPECT_FALSE(lines.take("", 1));
  EXPECT_FALSE(lines.take("a b .", 2));
  EXPECT_FALSE(lines.take("c XXXXX .", 3));
  EXPECT_TRUE(lines.take(" \u3000", 4));
  EXPECT_THAT(lines.row().passage, ElementsAre(ElementsAre("a", "b", ".")));
  EXPECT_THAT(lines.row().query, ElementsAre("c", "XXXXX", "."));
  EXPECT_EQ(lines.row().line, 3U);
  EXPECT_FALSE(lines.take("1 ||| a", 5));
  EXPECT_ERROR_WITH(FormatError, "there:6: cloze: neither \"N ||| sentence\"", lines.take("b", 6));
  EXPECT_TRUE(lines.take("2 ||| XXXXX ||| a", 7));
  EXPECT_FALSE(lines.take("alone", 8));
  EXPECT_ERROR(FormatError, "there:9: cloze: numbered lines follow plain ones",
               lines.take("1 ||| a", 9));
  EXPECT_TRUE(lines.finish());
  EXPECT_TRUE(lines.row().passage.empty());
  EXPECT_ERROR(FormatError, "there:8: cloze: no passage before the query",
               check_cloze(lines.row(), "there"));
  EXPECT_FALSE(lines.finish());
}

TEST(ClozeFiles, AreThoseOfCftAndCmrc) {
  const std::string folder = data_folder() + "/cmrc_cft/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
  const ClozeFile human = read_cloze(folder + "cft.test.human.gz", "", {}, true);
  EXPECT_EQ(human.rows.size(), 1944U);
  EXPECT_EQ(human.left_out, 10);
  const ClozeFile automatic = read_cloze(folder + "cft.test.auto.gz", "", {}, true);
  EXPECT_EQ(automatic.rows.size(), 1996U);
  EXPECT_EQ(automatic.left_out, 710);
  const auto cmrc = [&](const std::string& name, bool questions) {
    return read_cloze(folder + name + ".doc_query.gz", folder + name + ".answer.gz",
                      {.questions = questions});
  };
  const auto test = cmrc("cmrc2017.cloze.valid", false).rows;
  ASSERT_EQ(test.size(), 2000U);
  EXPECT_EQ(cmrc("cmrc2017.user.valid", true).rows.size(), 2000U);
  EXPECT_EQ(std::count_if(test.begin(), test.end(),
                          [](const Cloze& row) { return most_frequent_word(row) == row.answer; }),
            609);
}

}  // namespace
}  // namespace heed::data
