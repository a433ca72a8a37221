#include "../../io/append_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "../../core/error.h"
#include "../support/throws.h"
#include "descriptors.h"
#include "full_disk.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

TEST(AppendFile, GrowsAtItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder / "a/b/log";
  {
    AppendFile file(path);
    EXPECT_EQ(file.path(), path);
    file.append("one\n");
    EXPECT_EQ(TemporaryFolder::get(path), "one\n");
  }
  AppendFile again(path);
  again.append("");
  again.append("two\n");
  EXPECT_EQ(TemporaryFolder::get(path), "one\ntwo\n");
}

TEST(AppendFile, GoesOnWithWhatReplacedIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "log";
  AppendFile file(path);
  file.append("old\n");
  std::filesystem::remove(path);
  TemporaryFolder::put(path, "new\n");
  file.reopen();
  file.append("more\n");
  EXPECT_EQ(TemporaryFolder::get(path), "new\nmore\n");
}

TEST(AppendFile, KeepsOneFileOpen) {
  const TemporaryFolder folder;
  const auto before = open_files();
  {
    AppendFile file(folder / "log");
    EXPECT_EQ(open_files(), before + 1);
    file.reopen();
    EXPECT_EQ(open_files(), before + 1);
    std::filesystem::remove_all(folder.path());
    EXPECT_THROW(file.reopen(), IoError);
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
}

TEST(AppendFile, SaysWhichFolderCannotBeMade) {
  const TemporaryFolder folder;
  TemporaryFolder::put(folder / "file", "");
  EXPECT_ERROR_WITH(IoError, folder / "file/a: cannot create the folder",
                    AppendFile(folder / "file/a/log"));
}

TEST(AppendFile, TakesBackWhatDoesNotFit) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log");
  file.append("first\n");
  {
    const FullDisk full(11);
    EXPECT_THROW(file.append("second line\n"), IoError);
  }
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "first\n");
  file.append("third\n");
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "first\nthird\n");
}

TEST(AppendFile, ALimitOnFileSizesIsAnErrorAndEndsNoProcess) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log");
  file.append("first\n");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{11, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);  // and SIGXFSZ is not ignored, as it is for FullDisk
  int code = 0;
  try {
    file.append("second line\n");
  } catch (const IoError& error) {
    code = error.code();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(code, EFBIG);
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "first\n");
}

TEST(AppendFile, RefusesWhatCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_THROW(AppendFile(folder.path().string()), IoError);
  TemporaryFolder::put(folder / "file", "");
  EXPECT_THROW(AppendFile(folder / "file/log"), IoError);
  EXPECT_THROW(AppendFile(""), IoError);
  AppendFile full("/dev/full");
  try {
    full.append("x");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(error.code(), ENOSPC);
    EXPECT_EQ(error.path(), "/dev/full");
  }
}

TEST(AppendFile, TakesBytesBack) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log");
  file.append("one\ntwo\n");
  file.take_back(4);
  file.append("three\n");
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "one\nthree\n");
  file.take_back(0);
  file.take_back(11);  // more than there are
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "one\nthree\n");
  file.take_back(1);
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "one\nthree");
  file.take_back(9);
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "");
}

TEST(AppendFile, StaysEmptyWhereNotEvenTheFirstLineFits) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log");
  {
    const FullDisk full(3);
    EXPECT_THROW(file.append("first\n"), IoError);
  }
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "");
}

TEST(AppendFile, MayBeTheFirstFileOfAll) {
  const TemporaryFolder folder;
  const WithoutStandardInput closed;
  const auto before = open_files();
  {
    AppendFile file(folder / "log");
    file.append("one\ntwo\n");
    file.take_back(4);
    file.reopen();
    file.append("three\n");
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
  AppendFile(folder / "log").append("four\n");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(TemporaryFolder::get(folder / "log"), "one\nthree\nfour\n");
}

}  // namespace
}  // namespace heed::io
