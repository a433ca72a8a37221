// Saving and reading while each system call in turn fails, or is the last one of the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "../torture/faulty_run.h"
#include "../torture/generations.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

// A model of generation 4 beside what a user keeps: a file, a link, a folder with a folder.
class Kept {
 public:
  Kept() {
    save_generation(place(), 3, 11);
    save_generation(place(), 4, 11);
    fs::create_directories(place() + "/notes/empty");
    TemporaryFolder::put(place() + "/report.html", "<html>");
    TemporaryFolder::put(place() + "/notes/day", "first");
    fs::create_symlink("../elsewhere", place() + "/link");
  }

  std::string place() const { return folder_ / "model"; }
  const TemporaryFolder& folder() const { return folder_; }
  Ran run(const std::vector<std::string>& arguments, Fault fault) const {
    std::vector<std::string> all = {place()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    fault.victim = place();
    return run_saver(folder_.path().string(), all, fault);
  }

  void expect_users_files() const {
    EXPECT_EQ(TemporaryFolder::get(place() + "/report.html"), "<html>");
    EXPECT_EQ(TemporaryFolder::get(place() + "/notes/day"), "first");
    EXPECT_TRUE(fs::is_directory(place() + "/notes/empty"));
    EXPECT_EQ(fs::read_symlink(place() + "/link"), "../elsewhere");
  }
  /// As any program sees it.
  long plain_generation() const {
    return generation([&](const char* name) { return TemporaryFolder::get(place() + "/" + name); });
  }
  long generation() const {
    return generation([&](const char* name) { return read_from_directory(place(), name); });
  }
  /// The next save, of the state alone where it can be, finds nothing amiss and leaves nothing.
  void expect_next_save(long found) const {
    const long next = found - found % 3 + 2;
    save_generation(place(), next, 11);
    EXPECT_EQ(plain_generation(), next);
    EXPECT_EQ(folder_.entries(), 1U);
  }

 private:
  template <class Read>
  static long generation(Read&& read) {
    std::string why;
    const long out = generation_in(read, why);
    EXPECT_GE(out, 0) << why;
    return out;
  }
  TemporaryFolder folder_{TemporaryFolder::memory()};
};

constexpr long kFar = 10000;  // more calls than there are

class KilledSave : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(KilledSave, LeavesTheOldDirectoryOrTheNewOne) {
  const auto [refuse, generation] = GetParam();
  const bool exchanged = std::string(refuse) != "exchange";
  long at = 1;
  for (bool killed = true; killed && at < kFar; ++at) {
    SCOPED_TRACE("killed at call " + std::to_string(at));
    const Kept kept;
    killed = kept.run({generation, "1", "11"}, {.kind = "kill", .at = at, .refuse = refuse}).killed;
    const long found = exchanged ? kept.plain_generation() : kept.generation();
    EXPECT_TRUE(found == 4 || found == std::atol(generation)) << found;
    kept.expect_users_files();
    kept.expect_next_save(found);
    kept.expect_users_files();
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 40);
}

INSTANTIATE_TEST_SUITE_P(ModelDirectory, KilledSave,
                         testing::Combine(testing::Values("", "link", "exchange"),
                                          testing::Values("5", "6")));

// A save died right after the exchange, then its user deleted the model: what the dead one left is
// no model without its training state, at no moment, and no weights of another one get into it.
TEST(ModelDirectoryFaults, ADeletedDirectoryDoesNotComeBackInParts) {
  long at = 1;
  for (bool killed = true; killed && at < kFar; ++at) {
    SCOPED_TRACE("killed at call " + std::to_string(at));
    const Kept kept;
    const std::string area = kept.folder() / ".heed-save-Ab3dE6";
    fs::create_directory(area);
    TemporaryFolder::put(area + "/names", std::string("heed/model/") + kTrainingFile + "//");
    fs::rename(kept.place(), area + "/model");
    killed = kept.run({"8", "1", "11"}, {.kind = "kill", .at = at}).killed;
    long found = 6;
    if (fs::exists(kept.place())) {
      found = kept.plain_generation();
      EXPECT_EQ(found, 8);
    }
    // No matter how often: what one writes that dies does not pile up.
    kept.run({"8", "1", "11"}, {.kind = "kill", .at = at});
    EXPECT_LE(kept.folder().entries(), 3U);
    if (fs::exists(kept.place())) found = kept.plain_generation();
    kept.expect_next_save(found);
    EXPECT_EQ(TemporaryFolder::get(kept.place() + "/report.html"), "<html>");
    EXPECT_EQ(TemporaryFolder::get(kept.place() + "/notes/day"), "first");
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 40);
}

// What a machine that loses its power finds: each file's content before it is renamed or exchanged
// into its place, and the folder that names it before the save returns.
TEST(ModelDirectoryFaults, WhatIsSavedIsOnTheDisk) {
  for (const char* refuse : {"", "exchange"}) {
    SCOPED_TRACE(refuse);
    const Kept kept;
    const Ran ran = kept.run({"6", "1", "11"}, {.refuse = refuse});
    ASSERT_EQ(ran.code, 0);
    long files = 0, moved = 0, folders = 0;
    for (const std::string& line : ran.lines) {
      const bool move = line.starts_with("rename");
      if (move && moved == 0) {
        EXPECT_GE(files, 4) << "of weights, vocabulary, settings and state were synced before";
      }
      moved += move;
      if (!line.starts_with("fsync ")) continue;
      const std::string path = line.substr(6);
      const bool folder = fs::is_directory(path);
      files += !folder;
      folders += folder && moved > 0;
    }
    EXPECT_GT(moved, 0);
    EXPECT_GT(folders, 0) << "no folder was synced after what it names had changed";
  }
}

// What `ran` synced, moved and removed, one after the other, each kind of file once; where `before`
// stands in a path is said by `after`.
std::vector<std::string> steps_of(const Ran& ran, const std::string& before,
                                  const std::string& after) {
  std::vector<std::string> out;
  for (const std::string& line : ran.lines) {
    if (!line.starts_with("fsync ") && !line.starts_with("rename") && !line.starts_with("rmdir ")) {
      continue;
    }
    const std::size_t at = line.find(before);
    if (at == std::string::npos) continue;
    std::string step = line.substr(0, line.find(' ') + 1) + after + line.substr(at + before.size());
    if (!fs::path(step).extension().empty()) step = step.substr(0, step.rfind('/')) + "/file";
    if (out.empty() || out.back() != step) out.push_back(step);
  }
  return out;
}

// A machine that loses its power at any of these has the old files or the new ones.
TEST(ModelDirectoryFaults, WhatIsWrittenInPlaceIsOnTheDiskStepByStep) {
  const Kept kept;
  const Ran ran = kept.run({"6", "1", "11"}, {.refuse = "exchange"});
  ASSERT_EQ(ran.code, 0);
  const std::vector<std::string> wanted = {"fsync P/.heed-staged/file",     "fsync P/.heed-staged",
                                           "rename P/.heed-staged",         "fsync P",
                                           "rename P/.heed-committed/file", "fsync P",
                                           "rmdir P/.heed-committed"};
  EXPECT_EQ(steps_of(ran, kept.place(), "P"), wanted);
}

TEST(ModelDirectoryFaults, WhatIsCarriedIsOnTheDiskBeforeItTakesThePlace) {
  for (const std::string refuse : {"", "link"}) {
    SCOPED_TRACE(refuse);
    const Kept kept;
    const Ran ran = kept.run({"6", "1", "11"}, {.refuse = refuse});
    ASSERT_EQ(ran.code, 0);
    const auto exchange = std::find_if(ran.lines.begin(), ran.lines.end(), [](const auto& line) {
      return line.starts_with("renameat2 ");
    });
    std::vector<std::string> before, after;
    for (auto line = ran.lines.begin(); line != ran.lines.end(); ++line) {
      if (line->starts_with("fsync ")) (line < exchange ? before : after).push_back(*line);
    }
    const auto synced = [&](const std::string& end) {
      return std::count_if(before.begin(), before.end(),
                           [&](const std::string& line) { return line.ends_with(end); });
    };
    EXPECT_EQ(synced("/model/notes"), 1);
    EXPECT_EQ(synced("/model/notes/empty"), 1);
    EXPECT_EQ(synced("/.heed-copying"), refuse == "link" ? 2 : 0) << "files that are not linked";
    ASSERT_FALSE(before.empty());
    EXPECT_TRUE(before.back().ends_with("/model")) << "the folder, when all files are in it";
    ASSERT_FALSE(after.empty());
    EXPECT_EQ(after.front(), "fsync " + kept.folder().path().string());
  }
}

class FailingSave : public testing::TestWithParam<std::tuple<const char*, bool, const char*>> {};

TEST_P(FailingSave, LeavesTheOldDirectoryOrTheNewOne) {
  const auto [kind, on, refuse] = GetParam();
  long at = 1, saved = 0;
  for (bool reached = true; reached && at < kFar; ++at) {
    SCOPED_TRACE(std::string(kind) + " at call " + std::to_string(at));
    const Kept kept;
    const Ran ran =
        kept.run({"5", "1", "11"}, {.kind = kind, .at = at, .on = on, .refuse = refuse});
    reached = ran.calls >= at;
    ASSERT_FALSE(ran.killed);
    ASSERT_TRUE(ran.code == 0 || ran.code == 3) << "exit code " << ran.code;
    const long found = kept.generation();
    EXPECT_TRUE(found == 5 || (found == 4 && ran.code == 3)) << found << ", code " << ran.code;
    saved += found == 5;
    kept.expect_users_files();
    kept.expect_next_save(found);
    kept.expect_users_files();
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 40);
  EXPECT_GT(saved, 1);
  if (std::string(kind) == "short") {
    EXPECT_EQ(saved, at - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(ModelDirectory, FailingSave,
                         testing::Combine(testing::Values("eio", "enospc", "short"),
                                          testing::Bool(), testing::Values("", "exchange")));
// A call that is always interrupted is made for ever.
INSTANTIATE_TEST_SUITE_P(ModelDirectoryOnce, FailingSave,
                         testing::Combine(testing::Values("eintr"), testing::Values(false),
                                          testing::Values("", "exchange")));
INSTANTIATE_TEST_SUITE_P(ModelDirectoryCopied, FailingSave,
                         testing::Combine(testing::Values("enospc"), testing::Bool(),
                                          testing::Values("link")));

// What the user puts there at the last moment lies in the old directory when all that follows fails:
// it is back after the next save.
TEST(ModelDirectoryFaults, WhatCameLateIsNotLost) {
  long at = 1, late = 0;
  for (bool reached = true; reached && at < kFar; ++at) {
    SCOPED_TRACE("eio from call " + std::to_string(at));
    const Kept kept;
    const std::string path = kept.place() + "/late";
    const Ran ran = kept.run({"5", "1", "11"}, {.kind = "eio", .at = at, .on = true, .late = path});
    reached = ran.calls >= at;
    ASSERT_TRUE(ran.code == 0 || ran.code == 3) << ran.code;
    kept.expect_next_save(kept.generation());
    for (const std::string& line : ran.lines) {
      if (!line.starts_with("renameat2 ")) continue;
      ++late;
      EXPECT_EQ(TemporaryFolder::get(path), "late");
      break;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(late, 5);
}

TEST(ModelDirectoryFaults, ADirectoryThatVanishesIsWrittenAnew) {
  long at = 1;
  for (bool reached = true; reached && at < kFar; ++at) {
    SCOPED_TRACE("vanished at call " + std::to_string(at));
    const Kept kept;
    const Ran ran = kept.run({"5", "1", "11"}, {.kind = "vanish", .at = at});
    reached = ran.calls >= at;
    ASSERT_TRUE(ran.code == 0 || ran.code == 3) << ran.code;
    // Deleted after the new one was there, it may hold what of the user's had not been put back.
    if (fs::exists(kept.place() + "/" + kTrainingFile)) {
      EXPECT_EQ(kept.plain_generation(), 5);
    }
    save_generation(kept.place(), 6, 11);
    kept.expect_next_save(6);
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 40);
}

class FailingRead : public testing::TestWithParam<const char*> {};

// Of a directory that has to be mended first: it was being written in place.
TEST_P(FailingRead, ReadsTheWholeOrSaysWhy) {
  long at = 1, read = 0;
  for (bool reached = true; reached && at < kFar; ++at) {
    SCOPED_TRACE(std::string(GetParam()) + " at call " + std::to_string(at));
    const Kept kept;
    fs::create_directory(kept.place() + "/.heed-committed");
    TemporaryFolder::put(kept.place() + "/.heed-committed/" + kTrainingFile,
                         content_of(5, kTrainingFile, 11));
    const Ran ran = kept.run({}, {.kind = GetParam(), .at = at});
    reached = ran.killed || ran.calls >= at;
    EXPECT_TRUE(ran.killed || ran.code == 0 || ran.code == 3) << ran.code;
    read += ran.code == 0;
    EXPECT_EQ(kept.generation(), 5);
    kept.expect_users_files();
    kept.expect_next_save(5);
    if (HasFailure()) return;
  }
  EXPECT_GT(at, 20);
  EXPECT_GT(read, 0);
}

INSTANTIATE_TEST_SUITE_P(ModelDirectory, FailingRead,
                         testing::Values("eio", "eintr", "short", "kill"));

}  // namespace
}  // namespace heed::io
