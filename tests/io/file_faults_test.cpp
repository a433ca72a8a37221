// Writing a single file while each system call in turn fails, or is the last one of the process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "../torture/faulty_run.h"
#include "../torture/generations.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

constexpr long kFar = 1000;  // more calls than there are

// A file of generation 4.
class KeptFile {
 public:
  KeptFile() { save_file_generation(path(), 4, 11); }

  std::string path() const { return folder_ / "weights.safetensors"; }
  std::size_t entries() const { return folder_.entries(); }
  Ran run(const Fault& fault) const {
    return run_saver(folder_.path().string(), {"--file", path(), "5", "1", "11"}, fault);
  }
  long generation() const {
    std::string why;
    const long out = generation_in_file(path(), why);
    EXPECT_GE(out, 0) << why;
    return out;
  }
  /// Once it is old what was left goes with the next file that is written there.
  void expect_nothing_left_later() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const timespec early[2] = {{1000, 0}, {1000, 0}};
      ::utimensat(AT_FDCWD, entry.path().c_str(), early, 0);
    }
    // By another process: this one has looked there.
    EXPECT_EQ(run({}).code, 0);
    EXPECT_EQ(generation(), 5);
    EXPECT_EQ(entries(), 1U);
  }

 private:
  TemporaryFolder folder_{TemporaryFolder::memory()};
};

TEST(FileFaults, AKillLeavesTheOldFileOrTheNewOne) {
  long at = 1, left = 0;
  for (bool killed = true; killed && at < kFar; ++at) {
    SCOPED_TRACE("killed at call " + std::to_string(at));
    const KeptFile kept;
    killed = kept.run({.kind = "kill", .at = at}).killed;
    const long found = kept.generation();
    EXPECT_TRUE(found == 4 || found == 5) << found;
    EXPECT_LE(kept.entries(), 2U);
    left += kept.entries() > 1;
    kept.expect_nothing_left_later();
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 6);
  EXPECT_GT(left, 2);
}

class FailingFile : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(FailingFile, LeavesTheOldFileOrTheNewOne) {
  const auto [kind, on] = GetParam();
  long at = 1, saved = 0;
  for (bool reached = true; reached && at < kFar; ++at) {
    SCOPED_TRACE(std::string(kind) + " at call " + std::to_string(at));
    const KeptFile kept;
    const Ran ran = kept.run({.kind = kind, .at = at, .on = on});
    reached = ran.calls >= at;
    ASSERT_FALSE(ran.killed);
    ASSERT_TRUE(ran.code == 0 || ran.code == 3) << "exit code " << ran.code;
    const long found = kept.generation();
    EXPECT_EQ(found, ran.code == 0 ? 5 : 4);
    // Where all calls fail, so does the one that removes it.
    if (!on) {
      EXPECT_EQ(kept.entries(), 1U);
    }
    saved += found == 5;
    kept.expect_nothing_left_later();
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 6);
  EXPECT_GT(saved, 0);
  if (std::string(kind) == "short") {
    EXPECT_EQ(saved, at - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, FailingFile,
                         testing::Combine(testing::Values("eio", "enospc", "short"),
                                          testing::Bool()));
// A call that is always interrupted is made for ever.
INSTANTIATE_TEST_SUITE_P(FilesOnce, FailingFile,
                         testing::Combine(testing::Values("eintr"), testing::Values(false)));

// What a machine that loses its power finds: the content before it takes the name, and the folder
// that names it before the save returns.
TEST(FileFaults, WhatIsWrittenIsOnTheDisk) {
  const KeptFile kept;
  const Ran ran = kept.run({});
  ASSERT_EQ(ran.code, 0);
  const auto first = [&](const std::string& call) {
    const auto found = std::find_if(ran.lines.begin(), ran.lines.end(),
                                    [&](const auto& line) { return line.starts_with(call + " "); });
    return found - ran.lines.begin();
  };
  const auto end = std::ssize(ran.lines);
  ASSERT_LT(first("rename"), end);
  EXPECT_LT(first("fsync"), first("rename"));
  const auto last = std::find_if(ran.lines.rbegin(), ran.lines.rend(),
                                 [](const auto& line) { return line.starts_with("fsync "); });
  EXPECT_GT(ran.lines.rend() - last - 1, first("rename"));
}

}  // namespace
}  // namespace heed::io
