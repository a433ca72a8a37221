#include "../../../examples/pretrained/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "../../support/places.h"
#include "../command.h"

namespace others {
namespace {

std::string models() {
  return (std::filesystem::path(heed::data_folder()) / "../pretrained").string();
}

TEST(Pretrained, FiguresOfTheAuthorsComeOut) {
  if (!std::filesystem::is_directory(models())) GTEST_SKIP() << "no models in " << models();
  const std::vector<Comparison> found = compare_figures(models());
  EXPECT_EQ(found.size(), 42u);
  for (const Comparison& each : found) {
    EXPECT_TRUE(each.holds()) << each.model << ": " << each.what << " " << each.found;
  }
}

class PretrainedCommand : public heed::Command {
 protected:
  PretrainedCommand() : Command(HEED_PRETRAINED) {}
};

TEST_F(PretrainedCommand, ChecksAndWrites) {
  if (!std::filesystem::is_directory(models())) GTEST_SKIP() << "no models in " << models();
  const heed::Outcome checked = run("check --models " + models());
  EXPECT_EQ(checked.code, 0) << checked.output;
  EXPECT_THAT(checked.output, testing::HasSubstr("nano_sort: 25 of 25 figures hold"));
  const std::string place = models() + "/stories260k/";
  const std::string flags =
      "write --model " + place + "stories260K.bin --tokens " + place + "tok512.bin";
  const heed::Outcome written = run(flags + " --prompt 'Once upon' --length 20");
  EXPECT_EQ(written.code, 0);
  EXPECT_THAT(written.output, testing::StartsWith("Once upon a time, there was a little girl"));
}

TEST_F(PretrainedCommand, GoesOnLearning) {
  if (!std::filesystem::is_directory(models())) GTEST_SKIP() << "no models in " << models();
  std::string text;
  for (int i = 0; i < 60; ++i) text += "The dog sat on the mat, and the mat was red.\n";
  const std::string place = models() + "/stories260k/",
                    tokens = " --tokens " + place + "tok512.bin",
                    flags = "train --model " + place + "stories260K.bin" + tokens + " --data " +
                            write("text", text) + " --length 16 --batch 3";
  const heed::Outcome trained = run(flags + " --steps 40 --out " + path("dog.bin"));
  ASSERT_EQ(trained.code, 0) << trained.output;
  const std::string said = "loss of what was held out: ";
  const double before = std::stod(trained.output.substr(trained.output.find(said) + said.size())),
               after = std::stod(trained.output.substr(trained.output.find(" before, ") + 9));
  EXPECT_LT(after, before / 2);
  EXPECT_THAT(
      run("write --length 20 --prompt 'The dog' --model " + path("dog.bin") + tokens).output,
      testing::StartsWith("The dog sat on the mat"));
  EXPECT_EQ(run(flags + " --out " + path("no.bin") + " --data " + write("little", "a")).code, 2);
}

TEST_F(PretrainedCommand, LearnsByAdaptersAlone) {
  if (!std::filesystem::is_directory(models())) GTEST_SKIP() << "no models in " << models();
  std::string text;
  for (int i = 0; i < 60; ++i) text += "The dog sat on the mat, and the mat was red.\n";
  const std::string place = models() + "/stories260k/",
                    flags =
                        " --model " + place + "stories260K.bin --tokens " + place + "tok512.bin";
  const heed::Outcome trained =
      run("train --lora 4 --lr 1e-2 --length 16 --batch 3 --steps 60 --data " +
          write("text", text) + flags + " --out " + path("dog.lora"));
  ASSERT_EQ(trained.code, 0) << trained.output;
  EXPECT_THAT(trained.output, testing::HasSubstr("the adapters are"));
  EXPECT_LT(std::filesystem::file_size(path("dog.lora")),
            std::filesystem::file_size(place + "stories260K.bin") / 4);
  EXPECT_THAT(
      run("write --length 20 --prompt 'The dog' --adapters " + path("dog.lora") + flags).output,
      testing::StartsWith("The dog sat on the mat"));
  EXPECT_EQ(run("write --adapters /dev/null" + flags).code, 2);
}

TEST_F(PretrainedCommand, RefusesWhatIsNoModel) {
  const heed::Outcome none = run("check --models /nowhere");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.output, testing::HasSubstr("/nowhere"));
  EXPECT_EQ(run("write --model /dev/null --tokens /dev/null").code, 2);
  EXPECT_EQ(run("").code, 2);
}

}  // namespace
}  // namespace others
