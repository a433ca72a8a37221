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

class AspectsCommand : public Command {
 protected:
  AspectsCommand() : Command(HEED_ASPECTS) {}

  // "aspects A %, opinions B %" of the last line.
  static std::string figures(const std::string& output) {
    const std::size_t at = output.rfind("test F1 ");
    return at == std::string::npos ? output : output.substr(at, output.find("  report", at) - at);
  }
};

const char* const kSmall =
    " --sentences 200 --width 7 --hidden 5 --slices 3 --batch 16 --threads 1 ";

TEST_F(AspectsCommand, TrainsEvaluatesAndAnswers) {
  const std::string model = path("m");
  const std::string trained = expect_success("train --epochs 2 --save " + model + kSmall);
  EXPECT_THAT(trained, HasSubstr("sentences: 180 to train on, 20 to validate, 66 to test;"));
  EXPECT_THAT(trained, HasSubstr("\naspects: precision "));
  EXPECT_THAT(trained, HasSubstr("where it looked: " + model + "/attention.png"));
  EXPECT_THAT(read_file(model + "/attention.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(read_file(model + "/report.html"), HasSubstr("opinions, F1"));
  const std::string tested = expect_success("evaluate --sentences 200 --shown 0 --report " +
                                            path("r.html") + " --model " + model);
  EXPECT_EQ(figures(tested), figures(trained));
  EXPECT_THAT(tested, Not(HasSubstr("where it looked")));

  const std::string asked = expect_success("ask --png " + path("a.png") + " --model " + model,
                                           "The fish tacos weren't salty.\nQwerty!\n");
  EXPECT_THAT(asked, HasSubstr("\n  opinions look at  "));
  EXPECT_THAT(asked, HasSubstr("n't"));
  EXPECT_THAT(read_file(path("a.png")), StartsWith("\x89PNG"));
}

// Of the generated sentences: about 65 % is reached by what only sees who is said to be judged.
TEST_F(AspectsCommand, AQuickTrainingFindsTerms) {
  const std::string output =
      expect_success("train --quick --attention none --shown 0 --save " + path("m"));
  EXPECT_GT(number_after("test F1 aspects ", output), 45);
  EXPECT_FALSE(fs::exists(path("m/attention.png")));
  const Outcome asked = run("ask --model " + path("m"), "i found it salty and we saw the soup .\n");
  EXPECT_EQ(asked.code, 0) << asked.output;
  EXPECT_THAT(asked.output, HasSubstr("*salty*"));
  EXPECT_THAT(asked.output, Not(HasSubstr("look at")));
  expect_refused("ask --png " + path("a.png") + " --model " + path("m"),
                 "line 1: a model without attention has no picture", "soup\n");
  EXPECT_FALSE(fs::exists(path("a.png")));
}

TEST_F(AspectsCommand, RefusesWhatItCannotTag) {
  const std::string model = path("m");
  expect_success("train --epochs 1 --save " + model + kSmall);
  std::string words;
  for (int i = 0; i < 1001; ++i) words += "soup ";
  const Outcome outcome =
      run("ask --model " + model, "good soup\n\n" + words + "\n\xff\xfe soup\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("aspects: line 2: the sentence has no words\n"));
  EXPECT_THAT(outcome.output, HasSubstr("aspects: line 3: a sentence of 1001 words, above 1000\n"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("line 4")));
  expect_refused("ask --model " + model, "standard input has no sentence");
  expect_config_refused("evaluate", "\"attention\": \"cmla\"", "\"attention\": \"all\"",
                        "config.json");
  expect_config_refused("evaluate", "\"width\": 7", "\"width\": 8", "model.safetensors");
  expect_config_refused("ask", "\"slices\": 3", "\"slices\": 4", "model.safetensors");
  expect_refused("train --resume --epochs 3 --save " + model + " --sentences 200 --batch 8",
                 "resume: the run had 180 sentences, --batch 16, --seed 1");
}

TEST_F(AspectsCommand, ReadsFilesAndRefusesBadOnes) {
  std::string lines;
  for (int i = 0; i < 13; ++i) lines += "the\tO\tO\nsoup\tB\tO\nrocks\tO\tB\n\n";
  write("d_train.iob.tsv", lines);
  const std::string flags =
      "train --epochs 1 --hidden 3 --domain d --data " + path("") + " --save " + path("m");
  expect_refused(flags, "d_test.iob.tsv");
  write("d_test.iob.tsv", lines + "soup\tB\n");
  expect_refused(flags, "d_test.iob.tsv:53: iob: 2 columns, but a word and 2 tags are wanted");
  write("d_test.iob.tsv", lines + "soup\tB\tE\n");
  expect_refused(flags, "d_test.iob.tsv:53: iob: \"E\" is no tag: B, I or O");
  write("d_test.iob.tsv", lines);
  write("v.txt", "soup 1 2 3\nrocks 4 5\n");
  expect_refused(flags + " --vectors " + path("v.txt"), "v.txt:2: word vectors: 2 numbers");
  write("v.txt", "soup 1 2 3\nrocks 4 5 6\n");
  expect_refused(flags + " --vectors " + path("v.txt"), "vectors of width 3, not 100");
  EXPECT_FALSE(fs::exists(path("m")));
  EXPECT_THAT(expect_success(flags + " --width 3 --vectors " + path("v.txt")),
              HasSubstr("12 to train on, 1 to validate, 13 to test; 4 words"));
  expect_refused(flags + " --width 3 --resume --vectors " + path("w.txt"),
                 "--resume: the model in the folder has --vectors " + path("v.txt") + ", not ");
  expect_success(flags + " --resume --vectors " + path("v.txt"));
  expect_success(flags + " --resume");
  write("d_train.iob.tsv", "the\tO\tO\n");
  expect_refused(flags, "one sentence is too few");
}

TEST_F(AspectsCommand, RefusesBadFlags) {
  expect_refused("", "subcommand");
  expect_refused("train --attention all", "attention");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --slices 0", "slices");
  expect_refused("train --dropout 1", "dropout");
  expect_refused("train --sentences 19", "sentences");
  expect_refused("train --lr 0", "lr");
  expect_refused("train --data " + path("absent") + " --save " + path("m"), "absent");
  expect_refused("train --vectors " + path("absent") + " --save " + path("m"), "absent");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  expect_refused("ask --model " + path("m"), path("m"), "soup\n");
  EXPECT_FALSE(fs::exists(path("m")));
}

// Before the first look, within an epoch, at its end. 12 steps an epoch.
TEST_F(AspectsCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  expect_resuming_changes_no_bit(kSmall + std::string("--epochs 3 --shown 0"), {5, 17, 24},
                                 {"rounds", "batches.loader", "sums", "model.words.weight",
                                  "model.attend.aspect.own", "optimizer.parameters.0.step"});
}

}  // namespace
