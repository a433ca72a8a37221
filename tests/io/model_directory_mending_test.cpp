// What crashes left: of this version, of earlier ones, and what only looks so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/error.h"
#include "../support/throws.h"
#include "../torture/generations.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kGoneProcess = "4194303";

TEST(ModelDirectoryMending, ReadsWhatAnEarlierVersionTore) {
  const TemporaryFolder folder;
  const std::string path = folder / "model", rest = path + ".new-" + kGoneProcess;
  save_directory(path, {{kTrainingFile, "new state"}, {kConfigFile, "settings"}});
  save_directory(rest, {{kTrainingFile, "old state"}, {kWeightsFile, "weights"}});
  fs::create_directory(rest + "/notes");
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "weights");
  EXPECT_EQ(read_from_directory(path, kTrainingFile), "new state");
  EXPECT_TRUE(fs::is_directory(path + "/notes"));
  EXPECT_EQ(TemporaryFolder::get(rest + "/" + kTrainingFile), "old state");
}

TEST(ModelDirectoryMending, RemovesWhatIsEmptyThen) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, {{kTrainingFile, "new state"}});
  save_directory(path + ".old-17", {{kWeightsFile, "weights"}});
  EXPECT_EQ(read_from_directory(path + "/", kWeightsFile), "weights");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(ModelDirectoryMending, SaysWhereTheRestLiesWhenItIsNotPlain) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, {{kConfigFile, "settings"}});
  // Somebody's own second model.
  save_directory(path + ".new-2", {{kConfigFile, "others"}, {kWeightsFile, "weights"}});
  EXPECT_ERROR_WITH(
      IoError,
      "model.safetensors: missing from the model directory (a save that was cut short left ",
      read_from_directory(path, kWeightsFile));
  EXPECT_ERROR_WITH(IoError, "/model.new-2): No such file",
                    read_from_directory(path, kWeightsFile));
  EXPECT_EQ(TemporaryFolder::get(path + ".new-2/" + kWeightsFile), "weights");
  fs::remove_all(path);
  EXPECT_ERROR_WITH(IoError, "no model directory (a save that was cut short left ",
                    read_from_directory(path, kWeightsFile));
  EXPECT_TRUE(fs::exists(path + ".new-2"));
}

TEST(ModelDirectoryMending, AFolderThatIsNotOursStays) {
  const TemporaryFolder folder;
  const std::string path = folder / "model", other = path + ".new-" + std::to_string(::getpid());
  save_generation(path, 3, 5);
  fs::create_directory(other);
  TemporaryFolder::put(other + "/thesis", "the only copy");
  fs::create_directory(folder / ".heed-save-mine");
  TemporaryFolder::put(folder / ".heed-save-mine/thesis", "another");
  fs::create_directory(folder / ".heed-save-AAAAAA");
  fs::create_directory(folder / ".heed-save-AAAAAA/model");
  TemporaryFolder::put(folder / ".heed-save-AAAAAA/model/thesis", "a third");
  save_generation(path, 4, 5);
  EXPECT_EQ(TemporaryFolder::get(other + "/thesis"), "the only copy");
  EXPECT_EQ(TemporaryFolder::get(folder / ".heed-save-mine/thesis"), "another");
  EXPECT_EQ(TemporaryFolder::get(folder / ".heed-save-AAAAAA/model/thesis"), "a third");
}

// As a process leaves it that ends right after the exchange.
void strand(const TemporaryFolder& folder, const std::string& area, const std::string& place) {
  fs::create_directories(folder / (area + "/model"));
  TemporaryFolder::put(folder / (area + "/names"), "heed/" + place + "/model.safetensors//");
}

TEST(ModelDirectoryMending, WhatIsNowhereElseGoesIntoTheDirectory) {
  const TemporaryFolder folder;
  const std::string path = folder / "model", left = folder / ".heed-save-Ab3dE6/model";
  save_generation(path, 3, 5);
  TemporaryFolder::put(path + "/both", "same");
  TemporaryFolder::put(path + "/changed", "as it is now");
  strand(folder, ".heed-save-Ab3dE6", "model");
  fs::create_hard_link(path + "/both", left + "/both");
  TemporaryFolder::put(left + "/" + kWeightsFile, "replaced");
  TemporaryFolder::put(left + "/changed", "as it was");
  const timespec early[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (left + "/changed").c_str(), early, 0);
  fs::create_directories(left + "/notes/deep");
  TemporaryFolder::put(left + "/notes/deep/day", "the only copy");
  // Its user moved it away meanwhile.
  TemporaryFolder::put(folder / "moved", "elsewhere");
  fs::create_hard_link(folder / "moved", left + "/moved");
  save_generation(path, 4, 5);
  EXPECT_EQ(TemporaryFolder::get(path + "/both"), "same");
  EXPECT_EQ(TemporaryFolder::get(path + "/changed"), "as it is now");
  EXPECT_EQ(TemporaryFolder::get(path + "/notes/deep/day"), "the only copy");
  EXPECT_EQ(TemporaryFolder::get(path + "/" + kWeightsFile), content_of(3, kWeightsFile, 5));
  EXPECT_FALSE(fs::exists(path + "/moved"));
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(ModelDirectoryMending, InDoubtAFileStays) {
  const TemporaryFolder folder;
  const std::string path = folder / "model", left = folder / ".heed-save-Ab3dE6/model";
  save_generation(path, 3, 5);
  TemporaryFolder::put(path + "/x", "earlier");
  const timespec early[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (path + "/x").c_str(), early, 0);
  strand(folder, ".heed-save-Ab3dE6", "model");
  TemporaryFolder::put(left + "/x", "later");
  save_generation(path, 4, 5);
  EXPECT_EQ(TemporaryFolder::get(path + "/x"), "earlier");
  EXPECT_EQ(TemporaryFolder::get(left + "/x"), "later");
}

TEST(ModelDirectoryMending, TheAreasOfOthersAreLeftAlone) {
  const TemporaryFolder folder;
  strand(folder, ".heed-save-other1", "model-2");
  strand(folder, ".heed-save-alive1", "model");
  const int fd = ::open((folder / ".heed-save-alive1").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  save_generation(folder / "model", 4, 5);
  EXPECT_EQ(folder.entries(), 3U);
  ::close(fd);
  save_generation(folder / "model", 5, 5);
  EXPECT_EQ(folder.entries(), 2U);
  save_generation(folder / "model-2", 5, 5);
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(ModelDirectoryMending, TemporaryFilesOfTheDeadGo) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_generation(path, 3, 5);
  TemporaryFolder::put(path + "/.heed-12-0.tmp", "half a report");
  TemporaryFolder::put(path + "/.heed-12-1.tmp", "being written");
  const timespec early[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (path + "/.heed-12-0.tmp").c_str(), early, 0);
  save_generation(path, 4, 5);
  EXPECT_FALSE(fs::exists(path + "/.heed-12-0.tmp"));
  EXPECT_TRUE(fs::exists(path + "/.heed-12-1.tmp"));
}

TEST(ModelDirectoryMending, SaversTakeTurns) {
  const TemporaryFolder folder{TemporaryFolder::memory()};
  const std::string path = folder / "model";
  std::vector<pid_t> children;
  for (long first : {3, 300, 600}) {
    children.push_back(::fork());
    if (children.back() == 0) {
      for (long i = 0; i < 60; ++i) save_generation(path, first + 3 * i, 7);
      ::_exit(0);
    }
  }
  std::string why;
  for (bool running = true; running;) {
    running = ::waitpid(children[0], nullptr, WNOHANG) == 0;
    if (!fs::exists(path)) continue;
    // What one reader sees is of one save, if none comes between; each file at least is whole.
    EXPECT_THAT(read_from_directory(path, kWeightsFile), HasSubstr(kWeightsFile));
  }
  for (const pid_t child : {children[1], children[2]}) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_GE(generation_in([&](const char* name) { return read_from_directory(path, name); }, why),
            3)
      << why;
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(ModelDirectoryMending, AReaderFinishesWhatWasWrittenInPlace) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  save_directory(path, {{kWeightsFile, "old"}, {kConfigFile, "old"}});
  fs::create_directory(path + "/.heed-staged");
  TemporaryFolder::put(path + "/.heed-staged/" + kConfigFile, "never decided");
  EXPECT_EQ(read_from_directory(path, kConfigFile), "old");
  fs::create_directory(path + "/.heed-committed");
  TemporaryFolder::put(path + "/.heed-committed/" + kWeightsFile, "new");
  EXPECT_EQ(read_from_directory(path, kWeightsFile), "new");
  EXPECT_EQ(TemporaryFolder::get(path + "/" + kWeightsFile), "new");
  EXPECT_FALSE(fs::exists(path + "/.heed-committed"));
  EXPECT_FALSE(fs::exists(path + "/.heed-staged"));
}

}  // namespace
}  // namespace heed::io
