// scripts/heed_gdb.py: what gdb prints of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "../support/places.h"

namespace heed {
namespace {

using testing::HasSubstr;

std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return out;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    out.append(part.data(), count);
  }
  ::pclose(pipe);
  return out;
}

TEST(Gdb, PrintsShapesArraysAndTensors) {
  if (!output_of("gdb --version").starts_with("GNU gdb")) GTEST_SKIP() << "gdb is not installed";
  std::string command =
      "DEBUGINFOD_URLS= gdb -nx -q -batch -ex 'set startup-with-shell off' -ex 'source " +
      (source_root() / "scripts/heed_gdb.py").string() + "' -ex 'break stop_here' -ex run -ex up";
  for (const std::string name : {"shape", "numbers", "turned", "many", "leaf", "result", "flags",
                                 "none", "nothing", "narrow"}) {
    command += " -ex 'print " + name + "'";
  }
  const std::string text = output_of(command + " " HEED_STOPPED);
  if (text.find("Breakpoint 1, ") == text.npos)
    GTEST_SKIP() << "gdb runs no program here: " << text;
  EXPECT_THAT(text, HasSubstr("$1 = [2, 3]\n"));
  EXPECT_THAT(text, HasSubstr("$2 = f32[2, 3] {1, 2, 3, 4, 5, 6.5}\n"));
  EXPECT_THAT(text, HasSubstr("$3 = f32[3, 2] {1, 4, 2, 5, 3, 6.5}\n"));
  EXPECT_THAT(text, HasSubstr("$4 = i64[11] {7, 7, 7, 7, 7, 7, 7, 7, ...}\n"));
  EXPECT_THAT(text, HasSubstr("$5 = f64[2] {0.25, -2} requires_grad\n"));
  EXPECT_THAT(text, HasSubstr("$6 = f64[2] {0.5, -4} made by add\n"));
  EXPECT_THAT(text, HasSubstr("$7 = bool[2, 3] {false, false, false, false, true, true}\n"));
  EXPECT_THAT(text, HasSubstr("$8 = undefined\n"));
  EXPECT_THAT(text, HasSubstr("$9 = undefined\n"));
  EXPECT_THAT(text, HasSubstr("$10 = bf16[2, 3] {1, 2, 3, 4, 5, 6.5}\n"));
}

}  // namespace
}  // namespace heed
