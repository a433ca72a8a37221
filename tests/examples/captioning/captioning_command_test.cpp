// The program as a user runs it: exit codes, messages, files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../../../train/picture.h"
#include "../../support/places.h"
#include "../command.h"

namespace {

namespace fs = std::filesystem;
using heed::Command;
using heed::io::read_file;
using testing::HasSubstr;
using testing::Not;

class CaptioningCommand : public Command {
 protected:
  CaptioningCommand() : Command(HEED_CAPTIONING) {}

  std::string last_line(const std::string& output) const {
    const std::size_t at = output.rfind("\ntest scenes ");
    return at == std::string::npos ? output : output.substr(at + 1, output.find("  report") - at);
  }
};

const char* const kSmall =
    " --scenes 40 --validation 13 --test 11 --channels 2 --width 5 --hidden 7 --batch 5 --warm-up 3"
    " --describe 2 --threads 1 ";

TEST_F(CaptioningCommand, TrainsEvaluatesAndDescribes) {
  for (const std::string look : {"soft", "hard"}) {
    const std::string model = path(look);
    const std::string trained =
        expect_success("train --steps 6 --attention " + look + " --save " + model + kSmall);
    EXPECT_THAT(trained, HasSubstr(look + " attention; parameters "));
    EXPECT_THAT(trained, HasSubstr("where it looked: " + model + "/looks.png"));
    EXPECT_EQ(read_file(model + "/looks.png").substr(1, 3), "PNG");
    EXPECT_THAT(read_file(model + "/report.html"), HasSubstr("pointing"));
    const std::string tested = expect_success("evaluate --test 11 --model " + model);
    EXPECT_EQ(last_line(tested), last_line(trained));
    expect_success("describe --describe 3 --pictures " + path("p.png") + " --model " + model);
    EXPECT_GT(fs::file_size(path("p.png")), 100U);
  }
}

TEST_F(CaptioningCommand, DescribesPicturesOfOnesOwn) {
  expect_success("train --steps 2 --save " + path("m") + kSmall);
  heed::train::Picture wide(70, 50, {30, 30, 30});
  wide.fill(31, 21, 9, 9, {240, 30, 30});
  heed::train::write_png(path("own.png"), wide);
  const std::string model = " --model " + path("m") + " --pictures " + path("p.png");
  const std::string said =
      expect_success("describe " + path("own.png") + " " + path("own.png") + model);
  const std::string once = said.substr(0, said.find("where"));
  EXPECT_EQ(once.substr(0, once.size() / 2), once.substr(once.size() / 2));
  EXPECT_THAT(said, Not(HasSubstr("but it is")));
  write("broken.png", "\x89PNG");
  expect_refused("describe " + path("broken.png") + model, "damaged PNG");
  expect_refused("describe " + path("none.png") + model, "none.png: cannot open");
}

TEST_F(CaptioningCommand, AQuickTrainingLowersTheLoss) {
  const std::string out =
      expect_success("train --quick --attention hard --threads 1 --save " + path("m"));
  EXPECT_LT(number_after("  loss ", out), 2.5);  // 2.9 is that of chance
}

TEST_F(CaptioningCommand, DescribesDigits) {
  const std::string data = heed::data_folder() + "/mnist";
  if (!fs::exists(data)) GTEST_SKIP() << "no MNIST in " << data;
  const std::string out = expect_success("train --steps 3 --data mnist --path '" + data +
                                         "' --save " + path("m") + kSmall);
  EXPECT_THAT(last_line(out), HasSubstr("test scenes 11  exact "));
  expect_refused("evaluate --model " + path("m"), "mnist needs --path");
  // A picture of one's own wants no digits.
  heed::train::write_png(path("own.png"), heed::train::Picture(48, 48, {30, 30, 30}));
  expect_success("describe " + path("own.png") + " --model " + path("m"));
}

TEST_F(CaptioningCommand, RefusesBadFlags) {
  expect_refused("", "subcommand");
  expect_refused("train --steps 0", "steps");
  expect_refused("train --attention firm", "attention");
  expect_refused("train --data photos", "data");
  expect_refused("train --mean 2", "mean");
  expect_refused("train --decay 1", "decay");
  expect_refused("train --draws 0", "draws");
  expect_refused("train --validation 0", "validation");
  expect_refused("train --lambda-r -1", "lambda-r");
  expect_refused("train --data mnist --save " + path("m"), "mnist needs --path");
  expect_refused("train --data mnist --path " + path("none") + " --save " + path("m"),
                 "none/train-images-idx3-ubyte");
  expect_refused("train --resume --save " + path("m"), path("m"));
  expect_refused("describe --model " + path("m"), path("m"));
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(CaptioningCommand, RefusesBadModels) {
  const std::string model = path("m");
  expect_success("train --steps 2 --save " + model + kSmall);
  expect_config_refused("evaluate", "soft", "firm", "config.json");
  expect_config_refused("evaluate", "shapes", "photos", "config.json");
  expect_config_refused("evaluate", "\"hidden\": 7", "\"hidden\": 8", "model.safetensors");
  write("m/training.safetensors", "short");
  expect_refused("train --resume --save " + model + kSmall, "training.safetensors");
  write("m/vocabulary.txt", read_file(model + "/vocabulary.txt") + "surplus\n");
  expect_refused("evaluate --model " + model, "vocabulary.txt");
}

const std::string kResumed =
    kSmall + std::string("--attention hard --steps 14 --interval 5 --soft 0.4");
const std::vector<std::string> kEntries = {"rounds", "batches.loader", "carried.loss.baselines",
                                           "carried.loss.steps"};

TEST_F(CaptioningCommand, ResumingGivesTheSameBitsAsNeverHavingStopped) {
  expect_resuming_changes_no_bit(kResumed + " --draws 3", {3, 10}, kEntries);
  EXPECT_TRUE(state_of(path("whole")).at("carried.loss.baselines").empty());
}

TEST_F(CaptioningCommand, ResumingKeepsTheMovingAverages) {
  expect_resuming_changes_no_bit(kResumed + " --draws 1", {3, 10}, kEntries);
  EXPECT_FALSE(state_of(path("whole")).at("carried.loss.baselines").empty());
}

}  // namespace
