// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::io::read_file;
using testing::HasSubstr;
using testing::StartsWith;

class AlgorithmsCommand : public Command {
 protected:
  AlgorithmsCommand() : Command(HEED_ALGORITHMS) {}

  static std::string figures(const std::string& output) {
    const std::size_t at = output.rfind("lengths ");
    return at == std::string::npos ? output : output.substr(at, output.find('\n', at) - at);
  }
};

const std::string kSmall = " --epochs 1 --batch 2 --hidden 7 --problems 20 --threads 1 --save ";

struct Asked {
  std::string task, flags, line, answer, bad, why;
};
const std::vector<Asked> kTasks = {
    {"copy", "--longest 3 --bits 3 --slots 5", "101 011", "bits wrong)", "101 12",
     "\"12\" is no vector of 3 bits"},
    {"repeat_copy", "--longest 2 --bits 3 --slots 5", "2 101", "bits wrong)", "x 101",
     "\"x\" is no number"},
    {"recall", "--longest 2 --bits 2 --slots 5 --heads 2 --recurrent", "10 11 01 11 10 00 1",
     "bits wrong)", "10", "0 vectors are no two"},
    {"sort", "--shortest 2 --longest 3 --bits 2 --slots 5", "10:0.5 11:-1", "bits wrong)", "10",
     "has no priority"},
    {"parity", "--longest 5", "1 0 1", "steps)", "1 2", "\"2\" is neither 0 nor 1"},
    {"addition", "--longest 2", "12 7", "steps)", "-1", "\"-1\" is no number"},
    {"pointer_sort", "--longest 5", "3 1 2", "ng)", "3 1", "points: 2, not 3"},
    {"hull", "--longest 5", "0,0 1,0 0,1", " (", "0 1 2", "\"0\" is no point"},
    {"tables", "--longest 3", "greater 1 sum | 1; 2", " ", "sum", "no | between"}};

TEST_F(AlgorithmsCommand, EveryTaskTrainsEvaluatesAndAnswers) {
  for (const Asked& each : kTasks) {
    for (const std::string plain : {"", " --plain"}) {
      SCOPED_TRACE(each.task + plain);
      const std::string model = path(each.task + (plain.empty() ? "" : "-plain"));
      const std::string trained = expect_success("train --task " + each.task + plain + " " +
                                                 each.flags + " --length 5" + kSmall + model);
      EXPECT_THAT(trained, HasSubstr("where it looked: " + model + "/" + each.task + ".png"));
      EXPECT_THAT(read_file(model + "/" + each.task + ".png"), StartsWith("\x89PNG"));
      EXPECT_THAT(read_file(model + "/report.html"), HasSubstr("lengths 5 to 5"));
      const std::string tested =
          expect_success("evaluate --length 5 --problems 20 --report " + path("r.html") +
                         " --picture " + path("p.png") + " --model " + model);
      EXPECT_EQ(figures(tested), figures(trained));
      EXPECT_THAT(expect_success("run --model " + model, each.line + "\n"),
                  HasSubstr(plain.empty() ? each.answer : ""));
      expect_refused("run --model " + model, "line 2: ", each.line + "\n" + each.bad + "\n");
      expect_refused("run --model " + model, each.why, each.bad + "\n");
    }
  }
}

TEST_F(AlgorithmsCommand, SortingHasEightHeadsUnlessSaid) {
  const std::string short_run = " --shortest 2 --longest 2 --bits 2 --slots 5 --length 2" + kSmall;
  expect_success("train --task sort" + short_run + path("eight"));
  expect_success("train --task sort --heads 3" + short_run + path("three"));
  expect_success("train --task copy" + short_run + path("one"));
  EXPECT_THAT(read_file(path("eight") + "/config.json"), HasSubstr("\"heads\": 8"));
  EXPECT_THAT(read_file(path("three") + "/config.json"), HasSubstr("\"heads\": 3"));
  EXPECT_THAT(read_file(path("one") + "/config.json"), HasSubstr("\"heads\": 1"));
}

// A model of parity reads vectors of one length: it is tested on none beyond it.
TEST_F(AlgorithmsCommand, ParityIsTestedWithinItsLength) {
  const std::string trained =
      expect_success("train --task parity --longest 3" + kSmall + path("m"));
  EXPECT_THAT(trained, HasSubstr("lengths 3 to 3"));
  expect_refused("evaluate --length 5 --model " + path("m"),
                 "vectors, up to 5 of 3 numbers");
  for (const std::string flags : {"parity --longest 3 --length 5", "hull --longest 5 --length 2"}) {
    expect_refused("train --task " + flags + kSmall + path("none"), "");
    EXPECT_FALSE(fs::exists(path("none"))) << flags;  // before the training
  }
}

TEST_F(AlgorithmsCommand, AQuickTrainingCopies) {
  const std::string output = expect_success(
      "train --quick --longest 2 --length 2 --bits 2 --slots 20 --threads 1 --save " + path("m"));
  EXPECT_THAT(output, HasSubstr("copy: machine, "));
  EXPECT_LT(number_after("bits wrong % ", output), 5);
}

TEST_F(AlgorithmsCommand, RefusesBadFlagsAndModels) {
  expect_refused("", "subcommand");
  expect_refused("train --task add", "task");
  expect_refused("train --epochs 0", "epochs");
  expect_refused("train --bits 65", "bits");
  expect_refused("train --shortest 9 --longest 8 --save " + path("m"),
                 "shortest 9 is above longest 8");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("evaluate --model " + path("m"), path("m"));
  expect_refused("run --model " + path("m"), path("m"), "1\n");
  EXPECT_FALSE(fs::exists(path("m")));
  expect_success("train --longest 2 --bits 2 --slots 5" + kSmall + path("m"));
  expect_refused("run --model " + path("m"), "nothing came: a problem a line");
  expect_config_refused("evaluate", "\"task\": \"copy\"", "\"task\": \"add\"", "config.json");
  expect_config_refused("run", "\"hidden\": 7", "\"hidden\": 8", "model.safetensors");
  expect_refused("train --resume --epochs 2 --batch 3 --seed 1 --save " + path("m"),
                 "resume: the run had copy, --batch 2, --seed 1");
  expect_refused("train --resume --task recall --save " + path("m"),
                 "--resume: the model in the folder has --task copy, not recall");
}

TEST_F(AlgorithmsCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  expect_resuming_changes_no_bit(
      " --task repeat_copy --longest 3 --bits 2 --slots 5 --hidden 7 --batch 2 --epochs 2 "
      "--problems 20 --threads 1",
      {3, 100, 117},
      {"rounds", "batches.loader", "sums", "model.machine.start", "optimizer.parameters.0.step"});
}

}  // namespace
