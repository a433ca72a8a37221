// The small programs, run as a reader runs them, and their size: a page each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../../support/places.h"
#include "../command.h"

namespace heed {
namespace {

using testing::HasSubstr;

// One of the programs.
struct Program : Command {
  explicit Program(const std::string& name) : Command(HEED_SMALL "/" + name) {}
  using Command::expect_refused;
  using Command::expect_success;
  void TestBody() override {}
};

class Small : public Command {
 protected:
  Small() : Command(HEED_SMALL "/brackets") {}
  std::string expect(const std::string& name, const std::string& arguments) const {
    return Program(name).expect_success(arguments);
  }
  static std::string source(const std::string& name) {
    return io::read_file((source_root() / "examples/small" / (name + ".cpp")).string());
  }
  static auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(Small, RegressionFindsTheCurve) {
  EXPECT_LT(number_after("mean square error ", expect("regression", "")), 0.01);
}
TEST_F(Small, ImagesAreTold) { EXPECT_GT(number_after("\naccuracy ", expect("images", "2")), 0.8); }
TEST_F(Small, CharactersAreWritten) { EXPECT_GT(expect("characters", "60").size(), 200u); }
TEST_F(Small, LookingFindsThePlace) {
  const std::string output = expect("looking", "300 " + path("looking.png"));
  EXPECT_GT(number_after("right ", output), 0.9);
  EXPECT_TRUE(std::filesystem::exists(path("looking.png")));
}
TEST_F(Small, ReinforceFindsTheReward) {
  EXPECT_GT(number_after("\nreward ", expect("reinforce", "100")), 0.9);
}

TEST_F(Small, VectorsAreLearnedAndWritten) {
  const std::string learned =
      expect("vectors", "learn --passes 1 --width 7 --near soup rude --out " + path("v.txt"));
  EXPECT_THAT(learned, testing::AllOf(HasSubstr("words\nsoup: "), HasSubstr("\nrude: ")));
  EXPECT_THAT(io::read_file(path("v.txt")), HasSubstr("\nsoup "));
  write("a.tsv", "1\tIt didn't taste well. It wasn't warm.\n");
  write("b.tsv", "soup\tB\tO\n");
  const std::string read = " --least 1 --column 2 --text " + path("a.tsv") + " --tagged " +
                           path("b.tsv") + " --near n\\'t soup";
  EXPECT_THAT(expect("vectors", "learn" + read), HasSubstr("11 words\nn't: "));
  const Program program("vectors");
  EXPECT_THAT(expect("vectors", "learn --least 1 --column 2 --text " + path("a.tsv")),
              testing::EndsWith("words\n"));  // asked for nothing
  write("few.tsv", "soup\tB\tO\nrude\tO\tB\n");
  EXPECT_THAT(expect("vectors", "learn --least 1 --near soup --tagged " + path("few.tsv")),
              testing::EndsWith("\nsoup: rude\n"));
  program.expect_refused("learn --near qwerty --out " + path("none.txt"),
                         "the word \"qwerty\" is unknown");
  EXPECT_FALSE(std::filesystem::exists(path("none.txt")));
  program.expect_refused("learn --column 3 --text " + path("a.tsv"), "a.tsv:1: 2 columns");
  program.expect_refused("learn --tagged " + path("a.tsv"), "a.tsv:1: iob: 2 columns");
}

TEST_F(Small, BracketsAreResumedToTheSameBits) {
  const std::string whole = expect_success("train --epochs 2 --width 8 --out " + path("whole"));
  EXPECT_THAT(whole, HasSubstr("\naccuracy "));
  const std::string parts = " --epochs 2 --width 8 --out " + path("parts");
  EXPECT_THAT(expect_success("train --stop-after 77" + parts), HasSubstr("interrupted"));
  expect_success("train --resume" + parts);
  expect_same_training(path("whole"), path("parts"), {"rounds", "batches.loader"});
  EXPECT_TRUE(std::filesystem::exists(path("parts/report.html")));
  EXPECT_FALSE(std::filesystem::is_empty(path("parts/logs")));
  EXPECT_THAT(expect_success("ask '(()' --model " + path("parts")), testing::StartsWith("(()\n"));
  expect_refused("ask 'a(' --model " + path("parts"), "ask: a row is of ( and )");
  expect_refused("ask '(' --model " + path("none"), "none");
  expect_refused("train --resume --out " + path("none"), "none");
  std::filesystem::rename(path("parts"), path("m"));
  expect_config_refused("ask '()'", "\"width\": 8", "\"width\": 1024",
                        "config.json: at byte 0: asks for a model far larger than its model.");
}

TEST_F(Small, EachIsAPage) {
  for (const char* name :
       {"regression", "images", "characters", "looking", "reinforce", "vectors"}) {
    EXPECT_LE(lines(source(name)), 120) << name;
  }
  const std::string brackets = source("brackets");
  EXPECT_LE(lines(brackets.substr(brackets.find("// --- everything else"))), 120);
}

}  // namespace
}  // namespace heed
