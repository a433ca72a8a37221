// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::Outcome;
using heed::io::read_file;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ClozeCommand : public Command {
 protected:
  ClozeCommand() : Command(HEED_CLOZE) {}

  static std::string figures(const std::string& output) {
    const std::size_t at = output.rfind("test queries ");
    return at == std::string::npos ? output : output.substr(at, output.find("  report", at) - at);
  }
};

const char* const kSmall = " --stories 120 --width 7 --hidden 5 --batch 16 --threads 1 ";
const char* const kPassage =
    "anna bought a red ring .\nben lost a red ring .\nXXXXX owns a red ring .\n";

TEST_F(ClozeCommand, TrainsEvaluatesAndAnswers) {
  const std::string model = path("m");
  const std::string trained = expect_success("train --epochs 2 --save " + model + kSmall);
  EXPECT_THAT(trained, HasSubstr("queries: 120 to train on, 12 to validate, 12 to test;"));
  EXPECT_THAT(trained, HasSubstr("where it looked: " + model + "/attention.png"));
  EXPECT_THAT(read_file(model + "/attention.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(read_file(model + "/report.html"), HasSubstr("most frequent word of a passage"));
  const std::string tested = expect_success("evaluate --stories 120 --shown 0 --report " +
                                            path("r.html") + " --model " + model);
  EXPECT_EQ(figures(tested), figures(trained));
  EXPECT_THAT(tested, Not(HasSubstr("where it looked")));

  const std::string plain = expect_success("ask --picture " + path("a.png") + " --model " + model,
                                           std::string(kPassage) + "\n" + kPassage);
  EXPECT_THAT(plain, HasSubstr(" %\n"));
  EXPECT_THAT(plain, HasSubstr("\n  ? "));
  EXPECT_THAT(read_file(path("a.png")), StartsWith("\x89PNG"));
  write("cft", "1 ||| anna bought a ring .\n2 ||| XXXXX owns a ring . ||| anna\n");
  write("cmrc", "1 ||| anna bought a ring .\n<qid_0> ||| who owns a ring ?\n");
  for (const char* name : {"cft", "cmrc"}) {
    EXPECT_THAT(expect_success("ask --from " + path(name) + " --model " + model),
                HasSubstr("bought"))
        << name;
  }
}

// Nothing but the query tells which of what a passage tells of is asked for: 40 % without it.
TEST_F(ClozeCommand, AQuickTrainingReads) {
  const std::string output = expect_success("train --quick --threads 1 --save " + path("m"));
  EXPECT_GT(number_after("test accuracy ", output), 55);
  EXPECT_LT(number_after("most frequent word ", output), 30);
}

TEST_F(ClozeCommand, OtherReadersHaveNoQueryInTheirPicture) {
  for (const char* attention : {"sum", "gated", "none"}) {
    const std::string model = path(attention);
    expect_success("train --epochs 1 --shown 1 --save " + model + kSmall + "--attention " +
                   attention);
    EXPECT_TRUE(fs::exists(model + "/attention.png")) << attention;
    EXPECT_THAT(expect_success("ask --model " + model, kPassage), Not(HasSubstr("\n  ? ")));
  }
}

TEST_F(ClozeCommand, RefusesWhatItCannotAnswer) {
  const std::string model = path("m"), ask = "ask --model " + model + " --picture " + path("a.png");
  expect_success("train --epochs 1 --query 9 --passage 99 --save " + model + kSmall);
  expect_refused(ask, "standard input:1: no passage with a query");
  expect_refused(ask, "standard input:2: cloze: no XXXXX in the query", "a ring\nwho owns it\n");
  expect_refused(ask, "standard input:1: cloze: no passage before the query", "XXXXX owns it\n\n");
  expect_refused(ask, "standard input:2: cloze: the passage has no word but the blank",
                 "XXXXX\nXXXXX owns it\n");
  expect_refused(ask, "standard input:2: cloze: a query of 11 words, above 9",
                 "a\nXXXXX 1 2 3 4 5 6 7 8 9 10\n");
  std::string long_one;
  for (int i = 0; i < 100; ++i) long_one += "a ";
  expect_refused(ask, "standard input:2: cloze: a passage of 100 words, above 99",
                 long_one + "\nXXXXX owns it\n");
  expect_refused(ask, "standard input:1: cloze: is not UTF-8", "a \xff\nXXXXX owns it\n");
  expect_refused(ask, "standard input:2: cloze: the answer \"b\" is no word of the passage",
                 "1 ||| a\n2 ||| XXXXX ||| b\n");
  expect_refused(ask, "standard input:1: cloze: sentences without a query", "1 ||| a\n");
  expect_refused(ask + " --from " + path("absent"), "absent");
  EXPECT_FALSE(fs::exists(path("a.png")));
  expect_config_refused("evaluate", "\"attention\": \"aoa\"", "\"attention\": \"all\"",
                        "config.json");
  expect_config_refused("evaluate", "\"width\": 7", "\"width\": 8", "model.safetensors");
  expect_config_refused("ask", "\"hidden\": 5", "\"hidden\": 6", "model.safetensors");
  expect_refused("train --resume --epochs 3 --save " + model + " --stories 120 --batch 8",
                 "resume: the run had 120 queries, --batch 16, --seed 1");
  expect_refused("train --resume --epochs 3 --save " + model + kSmall + "--min-count 7",
                 "--resume: the model in the folder has --min-count 20, not 7");
}

TEST_F(ClozeCommand, ReadsFilesAndRefusesBadOnes) {
  std::string lines;
  for (int i = 0; i < 13; ++i) {
    lines += "1 ||| hen" + std::to_string(i) + " and fox\n2 ||| XXXXX and fox ||| hen" +
             std::to_string(i) + "\n";
  }
  const std::string flags = "train --epochs 1 --hidden 3 --width 5 --made 1 --threads 1 --data " +
                            path("") + " --save " + path("m");
  expect_refused(flags, "cft.test.human: open");
  write("cft.test.human", lines);
  write("cft.test.auto", "1 ||| a b\n2 ||| XXXXX b ||| c\n1 ||| a b\n2 ||| XXXXX b ||| a\n");
  write("cmrc2017.user.valid.doc_query", "1 ||| ann ran\n<qid_0> ||| who ran ?\n");
  write("cmrc2017.user.valid.answer", "<qid_0> ||| ann\n");
  const std::string query = "1 ||| ben sat\n<qid_0> ||| XXXXX sat\n";
  write("cmrc2017.cloze.valid.doc_query", query);
  expect_refused(flags, "cmrc2017.cloze.valid.answer: open");
  const std::string answers = write("cmrc2017.cloze.valid.answer", "<qid_0> ||| zoe\n");
  expect_refused(flags, "doc_query:2: cloze: the answer \"zoe\" is no word of the passage");
  write("cmrc2017.cloze.valid.answer", "<qid_1> ||| ben\n");
  expect_refused(flags, "cmrc2017.cloze.valid.answer:1: cloze: answers <qid_1>, not <qid_0>");
  write("cmrc2017.cloze.valid.answer", "<qid_0> ||| ben\n");
  write("cmrc2017.cloze.valid.doc_query", "1 ||| ben sat\n<qid_0> ||| who sat\n");
  expect_refused(flags, "doc_query:2: cloze: no XXXXX in the query");
  write("cmrc2017.cloze.valid.doc_query", "2 ||| ben sat\n");
  expect_refused(flags, "doc_query:1: cloze: the line's number is \"2\", not 1");
  EXPECT_FALSE(fs::exists(path("m")));
  write("cmrc2017.cloze.valid.doc_query", query);
  EXPECT_THAT(expect_success(flags), HasSubstr("1 left out"));
  write("cft.test.human", "");
  expect_refused(flags, "cft.test.human:1: cloze: the file has no query");
}

TEST_F(ClozeCommand, RefusesBadFlags) {
  expect_refused("", "subcommand");
  expect_refused("train --attention all", "attention");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --hops 0", "hops");
  expect_refused("train --dropout 1", "dropout");
  expect_refused("train --stories 19", "stories");
  expect_refused("train --query 0", "query");
  expect_refused("train --data " + path("absent") + " --save " + path("m"), "absent");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  expect_refused("ask --model " + path("m"), path("m"), kPassage);
  EXPECT_FALSE(fs::exists(path("m")));
}

// Before the first look, within an epoch, at its end. 8 steps an epoch.
TEST_F(ClozeCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  expect_resuming_changes_no_bit(kSmall + std::string("--epochs 3 --shown 0 --dropout 0.2"),
                                 {3, 11, 16},
                                 {"rounds", "batches.loader", "sums", "model.words.weight",
                                  "model.query.weight_ih_l0", "optimizer.parameters.0.step"});
}

}  // namespace
