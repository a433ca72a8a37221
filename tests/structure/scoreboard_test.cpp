// tests/scoreboard.cpp: what of a mechanism is counted from which table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "../io/temporary_folder.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// A row of the property table, as gtest reports it.
json row(const std::string& row, const std::string& mechanism, const std::string& of_class,
         bool passed = true) {
  json out = {{"name", "HasGradientsOfFirstAndSecondOrder/" + row},
              {"result", "COMPLETED"},
              {"mechanism", mechanism},
              {"group", "pairs"},
              {"class", of_class},
              {"exported", row}};
  if (!passed) out["failures"] = json::array({"it differs"});
  return out;
}

class Scoreboard : public testing::Test {
 protected:
  void write(const std::string& place, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ / place).parent_path());
    folder_.write(place, text);
  }
  std::string text_of(const std::string& place) const {
    return TemporaryFolder::get(folder_ / place);
  }
  // What the program says of two reports without a test, and of these rows.
  std::string said(const json& rows, const std::string& options) const {
    const json none = {{"testsuites", json::array()}};
    write("none.json", none.dump());
    const json suite = {{"name", "All/Mechanisms"}, {"testsuite", rows}};
    write("rows.json", json{{"testsuites", json::array({suite})}}.dump());
    const std::string command = "cd '" + folder_.path().string() +
                                "' && " HEED_SCOREBOARD " none.json none.json rows.json ";
    const int code = std::system((command + options + " > said 2>&1").c_str());
    return text_of("said") + (code == 0 ? "" : "failed");
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(Scoreboard, CountsWhatTheMechanismsOfAGroupHave) {
  write("docs/family.md",
        "# The family\n"
        "- **two-way** (2016) `TwoWay`, O(T): [code](a.h), [test](a_test.cpp), [task](b_test.cpp)\n"
        "    - **looking** `looks::look_at`: [code](c.h), [test](c_test.cpp), [program](d.md)\n"
        "    - **alone** (2017) `Alone`: [code](e.h), [test](e_test.cpp)\n");
  write(
      "docs/attention.md",
      "| both ways | a b | `TwoWay`, `deep::ThreeWay` | 2016 |\n| alone | a | `Alone` | 2017 |\n");
  write("python/heed/attention.pyi",
        "class TwoWay(heed.nn.Module):\n    def Alone(self) -> None: ...\n"
        "def look_at(x: heed.Tensor) -> heed.Tensor: ...\n");
  write("tests/peers/onnx/refused.txt", "two_way_deep\nalone\n");
  const json rows = {
      row("two_way", "two-way", "TwoWay"),       row("two_way_deep", "two-way", "TwoWay"),
      row("look_at", "looking", "ScaledDot"),    row("alone", "alone", "Alone"),
      row("three_way", "three-way", "ThreeWay"), row("wrong", "wrong", "TwoWay", false)};
  const std::string text = said(rows, "--sources . --json board.json");
  EXPECT_THAT(
      text,
      HasSubstr("named mechanisms                 4  with reference, task, export, binding\n"));
  EXPECT_THAT(text, HasSubstr("  pairs                           4    4    3    2    2\n"));
  const json board = json::parse(text_of("board.json"));
  EXPECT_EQ(board.at("mechanism_groups").at("pairs"), 4);
  EXPECT_EQ(board.at("mechanisms_have").at("pairs"),
            (json{{"reference", 4},
                  {"task", 3},
                  {"without_task", {"alone"}},
                  {"onnx", 2},
                  {"without_onnx", {"alone", "two-way"}},
                  {"python", 2},
                  {"without_python", {"alone", "three-way"}}}));
}

TEST_F(Scoreboard, WithoutSourcesCountsTheTestsAlone) {
  const json rows = {row("alone", "alone", "Alone")};
  EXPECT_THAT(
      said(rows, ""),
      HasSubstr("named mechanisms                 1\n  pairs                           1\n"));
  EXPECT_THAT(said(rows, "--sources nowhere"), HasSubstr("nowhere/docs/family.md: cannot be read"));
  EXPECT_THAT(said(rows, "--speed 3"), HasSubstr("usage: scoreboard"));
}

}  // namespace
}  // namespace heed
