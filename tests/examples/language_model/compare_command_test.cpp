// The table of all kinds of attention.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../../../attention/mechanisms/self_attention_kinds.h"
#include "../command.h"

namespace {

using heed::Command;
using testing::HasSubstr;

class CompareCommand : public Command {
 protected:
  CompareCommand()
      : Command((std::filesystem::path(HEED_LANGUAGE_MODEL).parent_path() / "compare").string()) {}
};

TEST_F(CompareCommand, HasARowForEachKind) {
  const std::string table = expect_success(
      "table --steps 2 --batch 2 --context 13 --far 17 --width 12 --heads 2 --layers 1 --threads 1");
  for (const auto& kind : heed::attention::self_attention_kinds()) {
    const std::string begin = "\n| " + kind.name + " | ";
    ASSERT_THAT(table, HasSubstr(begin));
    const std::string row = table.substr(table.find(begin) + begin.size());
    const double loss = std::stod(row.substr(row.find(" | ") + 3));  // behind the parameters
    EXPECT_GT(loss, 1) << kind.name;
    EXPECT_LT(loss, 5) << kind.name;
  }
}

TEST_F(CompareCommand, RefusesWhatItDoesNotKnow) {
  expect_refused("table --attention telepathy --steps 2", "telepathy");
}

}  // namespace
