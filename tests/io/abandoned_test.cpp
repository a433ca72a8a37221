#include "../../io/abandoned.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "../../io/file.h"
#include "descriptors.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

namespace fs = std::filesystem;

std::string aged(const TemporaryFolder& folder, const std::string& name) {
  const std::string path = folder.write(name, "x");
  const timespec early[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, path.c_str(), early, 0);
  return path;
}

// What kill -9 left of a file that was being written, at the next file that goes there.
TEST(Abandoned, TemporaryFilesOfTheDeadGo) {
  const TemporaryFolder folder;
  const std::string one = aged(folder, ".heed-4194303-0.tmp"),
                    other = aged(folder, ".heed-12-1987.tmp");
  write_file_atomically(folder / "model", "new");
  EXPECT_FALSE(fs::exists(one));
  EXPECT_FALSE(fs::exists(other));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(Abandoned, AllElseStays) {
  const TemporaryFolder folder;
  const std::string held = aged(folder, ".heed-12-0.tmp");
  const int fd = ::open(held.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  folder.write(".heed-12-1.tmp", "being written");
  for (const char* const name :
       {".heed-12-2", "heed-12-2.tmp", ".heed-mine.tmp", ".heed-12.tmp", ".heed--2.tmp",
        ".heed-12-.tmp", ".heed-1x-2.tmp", ".heed-.tmp", ".heed-tmp", ".tmp", "notes"}) {
    aged(folder, name);
  }
  fs::create_directory(folder / ".heed-12-3.tmp");
  fs::create_symlink("notes", folder / ".heed-12-4.tmp");
  ASSERT_EQ(::mkfifo((folder / ".heed-12-5.tmp").c_str(), 0600), 0);
  const std::size_t entries = folder.entries();
  write_file_atomically(folder / "model", "new");
  EXPECT_EQ(folder.entries(), entries + 1);
  ::close(fd);
}

TEST(Abandoned, WhatCannotBeLookedAtIsNoError) {
  const TemporaryFolder folder;
  const std::string old = aged(folder, ".heed-12-0.tmp");
  EXPECT_NO_THROW(remove_abandoned(folder / "none"));
  EXPECT_NO_THROW(remove_abandoned(old));
  EXPECT_TRUE(fs::exists(old));
  remove_abandoned(folder.path().string());
  EXPECT_FALSE(fs::exists(old));
}

// What `look` says of a file of this age, to the second.
template <class Look>
bool at_age(std::time_t age, const Look& look) {
  for (;;) {
    const TemporaryFolder folder;
    const std::time_t now = std::time(nullptr);
    const std::string path = folder.write(".heed-12-0.tmp", "x");
    const timespec times[2] = {{now - age, 0}, {now - age, 0}};
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
    const bool out = look(path);
    if (std::time(nullptr) == now) return out;
  }
}

TEST(Abandoned, IsWhatIsOlderThanAMinuteAndBesideAFileThanADay) {
  EXPECT_FALSE(at_age(60, is_abandoned));
  EXPECT_TRUE(at_age(61, is_abandoned));
  const auto goes = [](const std::string& path) {
    remove_abandoned(fs::path(path).parent_path());
    return !fs::exists(path);
  };
  EXPECT_FALSE(at_age(24 * 60 * 60, goes));
  EXPECT_TRUE(at_age(24 * 60 * 60 + 1, goes));
}

TEST(Abandoned, IsLookedForAtMostOnceAMinute) {
  const TemporaryFolder folder, other;
  remove_abandoned(folder.path());
  const std::string one = aged(folder, ".heed-12-0.tmp"), two = aged(other, ".heed-12-0.tmp");
  remove_abandoned(folder.path());
  remove_abandoned(other.path());
  EXPECT_TRUE(fs::exists(one));
  EXPECT_FALSE(fs::exists(two));
}

TEST(Abandoned, WhatBelongsToOthersStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const TemporaryFolder folder;
  const std::string own = aged(folder, ".heed-12-0.tmp"), others = aged(folder, ".heed-12-1.tmp");
  ASSERT_EQ(::chown(others.c_str(), 12345, 12345), 0);
  remove_abandoned(folder.path());
  EXPECT_FALSE(fs::exists(own));
  EXPECT_TRUE(fs::exists(others));
}

TEST(Abandoned, LookingLeavesNothingOpen) {
  const auto before = open_files();
  const TemporaryFolder folder;
  const std::string path = aged(folder, ".heed-12-0.tmp");
  EXPECT_TRUE(is_abandoned(path));
  EXPECT_EQ(open_files(), before);
  remove_abandoned(folder.path());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(open_files(), before);
  const WithoutStandardInput closed;
  EXPECT_TRUE(is_abandoned(aged(folder, ".heed-12-0.tmp")));
}

}  // namespace
}  // namespace heed::io
