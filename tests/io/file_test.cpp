#include "../../io/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <thread>

#include "../../core/error.h"
#include "../support/throws.h"
#include "descriptors.h"
#include "full_disk.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

using testing::HasSubstr;

template <class Action>
void expect_io_error(int code, const std::string& path, Action&& action) {
  try {
    action();
    ADD_FAILURE() << "no error";
  } catch (const IoError& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(error.path(), path);
    EXPECT_THAT(error.what(), HasSubstr(path));
  }
}

TEST(File, WritesAndReadsBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "a";
  const std::string content("zero \0 byte\n", 12);
  write_file_atomically(path, content);
  EXPECT_EQ(read_file(path), content);
  write_file_atomically(path, {"one, ", "", "two"});
  EXPECT_EQ(TemporaryFolder::get(path), "one, two");
  write_file_atomically(path, "");
  EXPECT_EQ(read_file(path), "");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, ReadsWhatHasNoSize) { EXPECT_THAT(read_file("/proc/self/status"), HasSubstr("Name:")); }

TEST(File, NamesWhatIsMissing) {
  const TemporaryFolder folder;
  expect_io_error(ENOENT, folder / "no", [&] { read_file(folder / "no"); });
  expect_io_error(EISDIR, folder.path().string(), [&] { read_file(folder.path().string()); });
  expect_io_error(ENOENT, folder / "no/file",
                  [&] { write_file_atomically(folder / "no/file", "x"); });
  expect_io_error(EISDIR, folder.path().string(),
                  [&] { write_file_atomically(folder.path().string(), "x"); });
  expect_io_error(ENOENT, "", [&] { write_file_atomically("", "x"); });
  EXPECT_ERROR_WITH(IoError, ": cannot write: ", write_file_atomically("", "x"));
  EXPECT_EQ(folder.entries(), 0U);
  std::filesystem::create_symlink("loop", folder / "loop");
  expect_io_error(ELOOP, folder / "loop", [&] { write_file_atomically(folder / "loop", "x"); });
}

TEST(File, ADeviceThatNeverEndsIsRefused) {
  const TemporaryFolder folder;
  expect_io_error(EFBIG, "/dev/zero", [] { read_file("/dev/zero", 100003); });
  EXPECT_EQ(read_file("/dev/null", 0), "");
  TemporaryFolder::put(folder / "file", "as long as it is");
  EXPECT_EQ(read_file(folder / "file", 3), "as long as it is");
}

TEST(File, AStreamIsReadUpToTheLimit) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::size_t limit : {5, 4}) {
    std::thread writer([&] { TemporaryFolder::put(pipe, "abcde"); });
    if (limit == 5) {
      EXPECT_EQ(read_file(pipe, limit), "abcde");
    } else {
      expect_io_error(EFBIG, pipe, [&] { read_file(pipe, limit); });
    }
    writer.join();
  }
}

TEST(File, AFullDiskKeepsTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "model";
  write_file_atomically(path, "old");
  {
    const FullDisk full(1009);
    expect_io_error(EFBIG, path, [&] { write_file_atomically(path, std::string(4001, 'x')); });
  }
  EXPECT_EQ(TemporaryFolder::get(path), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, ALimitOnFileSizesIsAnErrorAndEndsNoProcess) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "model", "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{1009, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);  // and SIGXFSZ is not ignored, as it is for FullDisk
  expect_io_error(EFBIG, folder / "model",
                  [&] { write_file_atomically(folder / "model", std::string(4001, 'x')); });
  expect_io_error(EFBIG, folder / "other",
                  [&] { write_new_file(folder / "other", std::string(4001, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  sigset_t mask, pending;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&mask, SIGXFSZ), 0);
  EXPECT_EQ(::sigismember(&pending, SIGXFSZ), 0);
  EXPECT_EQ(TemporaryFolder::get(folder / "model"), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, CopiesWithPermissionsAndTime) {
  const TemporaryFolder folder;
  std::string content(3000017, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i % 251);
  TemporaryFolder::put(folder / "a", content);
  ::chmod((folder / "a").c_str(), 0551);
  const timespec times[2] = {{1000003, 7}, {2000003, 11}};
  ::utimensat(AT_FDCWD, (folder / "a").c_str(), times, 0);
  copy_to_new_file(folder / "a", folder / "b");
  EXPECT_EQ(read_file(folder / "b"), content);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0551U);
  EXPECT_EQ(info.st_mtim.tv_sec, 2000003);
  EXPECT_EQ(info.st_mtim.tv_nsec, 11);
  expect_io_error(EEXIST, folder / "b", [&] { copy_to_new_file(folder / "a", folder / "b"); });
  expect_io_error(EEXIST, folder / "b", [&] { write_new_file(folder / "b", "x"); });
  expect_io_error(ENOENT, folder / "c", [&] { copy_to_new_file(folder / "c", folder / "d"); });
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(File, ANewOneHasThePermissionsThatTheProcessGives) {
  const TemporaryFolder folder;
  const auto mode = [](const std::string& path) {
    struct stat info {};
    ::stat(path.c_str(), &info);
    return info.st_mode & 07777;
  };
  for (const mode_t mask : {0, 027}) {
    const mode_t before = ::umask(mask);
    const std::string a = folder / "a" + std::to_string(mask),
                      b = folder / "b" + std::to_string(mask);
    write_file_atomically(a, "x");
    write_new_file(b, "x");
    ::umask(before);
    EXPECT_EQ(mode(a), 0666 & ~mask);
    EXPECT_EQ(mode(b), 0666 & ~mask);
  }
}

TEST(File, IsAbandonedWhereNobodyWritesIt) {
  const TemporaryFolder folder;
  const auto aged = [&](const std::string& name, std::time_t age) {
    TemporaryFolder::put(folder / name, "x");
    const timespec times[2] = {{std::time(nullptr) - age, 0}, {std::time(nullptr) - age, 0}};
    ::utimensat(AT_FDCWD, (folder / name).c_str(), times, 0);
    return folder / name;
  };
  EXPECT_TRUE(is_abandoned(aged(".heed-1-2.tmp", 100)));
  EXPECT_FALSE(is_abandoned(aged(".heed-1-3.tmp", 30)));
  EXPECT_FALSE(is_abandoned(aged("heed-1-2.tmp", 100)));
  EXPECT_FALSE(is_abandoned(aged(".heed-1-2", 100)));
  EXPECT_FALSE(is_abandoned(folder / ".heed-1-4.tmp"));
  std::filesystem::create_symlink(".heed-1-2.tmp", folder / ".heed-1-5.tmp");
  EXPECT_FALSE(is_abandoned(folder / ".heed-1-5.tmp"));
  std::filesystem::create_directory(folder / ".heed-1-6.tmp");
  const timespec early[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, (folder / ".heed-1-6.tmp").c_str(), early, 0);
  EXPECT_FALSE(is_abandoned(folder / ".heed-1-6.tmp"));
  const int fd = ::open((folder / ".heed-1-2.tmp").c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  EXPECT_FALSE(is_abandoned(folder / ".heed-1-2.tmp"));
  ::close(fd);
  EXPECT_TRUE(is_abandoned(folder / ".heed-1-2.tmp"));
}

TEST(File, ReadsWhatIsLongerThanItSays) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe", content(70001, 'a');
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { TemporaryFolder::put(pipe, content + "b"); });
  EXPECT_TRUE(read_file(pipe) == content + "b");
  writer.join();
}

TEST(File, WritesIntoAPipeAsItIs) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = TemporaryFolder::get(pipe); });
  write_file_atomically(pipe, {"one, ", "", "two"});
  reader.join();
  EXPECT_EQ(got, "one, two");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(File, SyncsFoldersAlone) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(sync_folder("/proc"));  // which cannot
  EXPECT_NO_THROW(sync_folder(folder.path().string()));
  expect_io_error(ENOENT, folder / "no", [&] { sync_folder(folder / "no"); });
  expect_io_error(ENOTDIR, folder.write("file", ""), [&] { sync_folder(folder / "file"); });
}

TEST(File, AFullDeviceIsAnError) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  expect_io_error(ENOSPC, "/dev/full", [] { write_file_atomically("/dev/full", "x"); });
  struct stat info {};
  ASSERT_EQ(::stat("/dev/full", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(File, NoPermissionKeepsTheOldFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  write_file_atomically(folder / "model", "old");
  ::chmod(folder.path().c_str(), 0500);
  expect_io_error(EACCES, folder / "model",
                  [&] { write_file_atomically(folder / "model", "new"); });
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_EQ(TemporaryFolder::get(folder / "model"), "old");
}

TEST(File, KeepsLinksAndPermissions) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "real", "old");
  ::chmod((folder / "real").c_str(), 0751);
  std::filesystem::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(TemporaryFolder::get(folder / "real"), "new");
  struct stat info {};
  ASSERT_EQ(::stat((folder / "real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0751U);
}

TEST(File, CreatesWhatALinkLeadsTo) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deep");
  std::filesystem::create_symlink("deep/second", folder / "first");
  std::filesystem::create_symlink("../real", folder / "deep/second");
  for (const char* const content : {"new", "newer"}) {
    write_file_atomically(folder / "first", content);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "deep/second"));
    EXPECT_EQ(TemporaryFolder::get(folder / "real"), content);
  }
  std::filesystem::create_symlink("none/real", folder / "astray");
  expect_io_error(ENOENT, folder / "astray",
                  [&] { write_file_atomically(folder / "astray", "x"); });
  EXPECT_EQ(folder.entries(), 4U);
}

// As many as the system itself follows.
TEST(File, IsFoundBehindFortyLinks) {
  const TemporaryFolder folder;
  std::string before = "real";
  for (int i = 0; i < 41; ++i) {
    const std::string link = "link" + std::to_string(i);
    std::filesystem::create_symlink(before, folder / link);
    before = link;
  }
  write_file_atomically(folder / "link39", "x");
  EXPECT_EQ(TemporaryFolder::get(folder / "real"), "x");
  expect_io_error(ELOOP, folder / "link40", [&] { write_file_atomically(folder / "link40", "y"); });
  EXPECT_EQ(TemporaryFolder::get(folder / "real"), "x");
}

// A process of the same number may have left it, in another container.
TEST(File, ANameThatIsTakenIsPassedOver) {
  const TemporaryFolder folder;
  const int watch = ::inotify_init1(IN_CLOEXEC);
  ASSERT_GE(::inotify_add_watch(watch, folder.path().c_str(), IN_CREATE), 0);
  write_file_atomically(folder / "model", "old");
  alignas(inotify_event) char events[4096] = {};
  ASSERT_GT(::read(watch, events, sizeof events), 0);
  ::close(watch);
  const std::string used = reinterpret_cast<const inotify_event*>(events)->name;
  const std::size_t dash = used.rfind('-');
  const std::string next =
      used.substr(0, dash + 1) + std::to_string(std::stoul(used.substr(dash + 1)) + 1) + ".tmp";
  folder.write(next, "another's");
  write_file_atomically(folder / "model", "new");
  EXPECT_EQ(TemporaryFolder::get(folder / "model"), "new");
  EXPECT_EQ(TemporaryFolder::get(folder / next), "another's");
}

TEST(File, MayBeTheFirstOfAll) {
  const TemporaryFolder folder;
  const WithoutStandardInput closed;
  const auto before = open_files();
  write_file_atomically(folder / "a", "x");
  write_new_file(folder / "b", "y");
  copy_to_new_file(folder / "a", folder / "c");
  sync_folder(folder.path().string());
  EXPECT_EQ(read_file(folder / "b") + read_file(folder / "c"), "yx");
  EXPECT_EQ(open_files(), before);
}

TEST(File, TakesTheLongestName) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n');
  write_file_atomically(path, "x");
  EXPECT_EQ(read_file(path), "x");
  expect_io_error(ENAMETOOLONG, path + 'n', [&] { write_file_atomically(path + 'n', "x"); });
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(File, IsCopiedWithItsModeAndTimes) {
  const TemporaryFolder folder;
  std::string content((1 << 20) + 17, 'a');  // more than one block
  content[1 << 20] = 'b';
  const std::string from = folder.write("from", content), to = folder / "to";
  ::chmod(from.c_str(), 0640);
  const timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 1}, {.tv_sec = 2000, .tv_nsec = 2}};
  ::utimensat(AT_FDCWD, from.c_str(), times, 0);
  copy_to_new_file(from, to);
  EXPECT_TRUE(TemporaryFolder::get(to) == content);
  struct stat info {};
  ASSERT_EQ(::stat(to.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640U);
  EXPECT_EQ(info.st_mtim.tv_sec, 2000);
  EXPECT_EQ(info.st_mtim.tv_nsec, 2);
  expect_io_error(EEXIST, to, [&] { copy_to_new_file(from, to); });
}

TEST(File, ThatCannotBeCopiedSaysWhichEndFailed) {
  const TemporaryFolder folder;
  const std::string from = folder.write("from", std::string(5003, 'a')), to = folder / "to";
  expect_io_error(ENOENT, folder / "none", [&] { copy_to_new_file(folder / "none", to); });
  std::filesystem::create_symlink("from", folder / "link");
  expect_io_error(ELOOP, folder / "link", [&] { copy_to_new_file(folder / "link", to); });
  expect_io_error(EISDIR, folder.path().string(),
                  [&] { copy_to_new_file(folder.path().string(), to); });
  expect_io_error(ENOENT, folder / "none/to", [&] { copy_to_new_file(from, folder / "none/to"); });
  {
    const FullDisk full(1009);
    expect_io_error(EFBIG, to, [&] { copy_to_new_file(from, to); });
  }
  EXPECT_EQ(folder.entries(), 2U);  // nothing half-written
}

TEST(File, IsCopiedHoweverShortItIs) {
  const TemporaryFolder folder;
  for (const std::string content : {"", "x", "xy"}) {
    const std::string name = "copy of " + content;
    copy_to_new_file(folder.write("from", content), folder / name);
    EXPECT_EQ(TemporaryFolder::get(folder / name), content);
  }
}

}  // namespace
}  // namespace heed::io
