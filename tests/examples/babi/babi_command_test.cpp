// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../command.h"

namespace {

using heed::Command;
using heed::Outcome;
using heed::io::read_file;
using testing::HasSubstr;

class BabiCommand : public Command {
 protected:
  BabiCommand() : Command(HEED_BABI) {}

  Outcome ask(const std::string& text) const { return run("ask --model " + path("m"), text); }
  static double error_of(const std::string& output) {
    return number_after("\nmean test error ", output);
  }
};

// Chance is 83 %.
TEST_F(BabiCommand, AQuickTrainingAnswersMostQuestions) {
  EXPECT_LT(error_of(expect_success("train --quick --save " + path("m"))), 15);
  const Outcome told = ask("Anna went to the attic.\nBen moved to the study.\nWhere is Anna?\n");
  EXPECT_EQ(told.code, 0) << told.output;
  EXPECT_THAT(told.output, HasSubstr("\nanswer attic"));
  EXPECT_THAT(told.output, HasSubstr("hop 3\n"));

  const Outcome wrong = ask("Zoe went to the attic.\nAnna went to the attic.\n\nWhere is Anna?\n");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.output, HasSubstr("line 1: the word \"zoe\" is not among those learned"));
  EXPECT_THAT(wrong.output, HasSubstr("line 3: the story that ends here has no question"));
  EXPECT_THAT(wrong.output, HasSubstr("line 4: the question has no story before it"));
  EXPECT_EQ(ask("").code, 2);

  const std::string config = read_file(path("m/config.json"));
  EXPECT_THAT(config, testing::AllOf(HasSubstr("\"position_encoding\": \"centred\""),
                                     HasSubstr("\"empty_memories\": true")));
  expect_config_refused("ask", "\"width\": 20", "\"width\": 21", "model.safetensors");
  expect_config_refused("ask", "centred", "skewed",
                        "\"skewed\" is none of \"none\", \"published\", \"centred\"");
  write("m/config.json", "{}");
  EXPECT_EQ(ask("").code, 2);
}

TEST_F(BabiCommand, TheBestOfSeedsIsTheSameForAnyNumberOfThreads) {
  const std::string flags =
      "train --task all --epochs 2 --linear-epochs 1 --stories 7 --seeds 3 --save ";
  const std::string one = expect_success(flags + path("one") + " --threads 1");
  const std::string two = expect_success(flags + path("two") + " --threads 2");
  EXPECT_EQ(error_of(one), error_of(two));
  for (const char* task : {"/qa1", "/qa2"}) {
    EXPECT_EQ(read_file(path("one") + task + "/model.safetensors"),
              read_file(path("two") + task + "/model.safetensors"));
  }
  expect_success(
      "train --epochs 1 --linear-epochs 0 --stories 5 --position-encoding published "
      "--no-empty-memories --save " +
      path("joint"));
  EXPECT_THAT(read_file(path("joint/config.json")),
              testing::AllOf(HasSubstr("\"width\": 50"), HasSubstr("\"published\""),
                             HasSubstr("\"empty_memories\": false")));
}

TEST_F(BabiCommand, ReadsFilesAndRefusesBadOnes) {
  std::string story;
  for (int i = 0; i < 13; ++i) {
    story += "1 Mary went to the " + std::string(i % 2 ? "hall" : "garden") +
             ".\n2 Where is Mary?\t" + (i % 2 ? "hall" : "garden") + "\t1\n";
  }
  write("qa1_a_train.txt", story);
  const std::string flags = "train --epochs 3 --data " + path("") + " --save " + path("m");
  expect_refused(flags + " --task 1", "qa1_*_test.txt: task 1 has no such file");
  write("qa1_a_test.txt", story);
  EXPECT_THAT(expect_success(flags + " --task 1"), HasSubstr("paper,   alone"));
  expect_refused(flags + " --task all", "task 2 has no such file");
  // A memory is no longer than any story.
  EXPECT_THAT(read_file(path("m/config.json")), HasSubstr("\"memory\": 1,"));
  write("qa1_a_train.txt", "1 Mary went to the hall.\n");
  expect_refused(flags + " --task 1", "no question");
  write("qa1_a_train.txt", "1 It is.\n2 Who?\tit\t1\n");
  expect_refused(flags + " --task 1", "1 questions are too few");
}

TEST_F(BabiCommand, RefusesBadFlags) {
  expect_refused("", "subcommand");
  expect_refused("train --task 0", "no generated task 0");
  expect_refused("train --task 1x", "'1x' is no number of a task");
  expect_refused("train --task 21 --data .", "no task 21");
  expect_refused("train --data " + path("absent"), "absent");
  expect_refused("train --hops 0", "hops");
  expect_refused("train --memory 0", "memory");
  expect_refused("train --noise 2", "noise");
  expect_refused("train --position-encoding odd", "position-encoding");
  expect_refused("train --seeds 0", "seeds");
  expect_refused("train --lr -1", "lr");
  expect_refused("ask --model " + path("absent"), "absent");
}

}  // namespace
