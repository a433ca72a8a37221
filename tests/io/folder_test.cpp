#include "../../io/folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptors.h"
#include "temporary_folder.h"

namespace heed::io {
namespace {

TEST(HeldFolder, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "model";
  EXPECT_FALSE(HeldFolder::attempt(path));
  std::filesystem::create_directory(path);
  {
    const auto held = HeldFolder::attempt(path);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->locked());
    EXPECT_TRUE(held->is_at(path));
    EXPECT_FALSE(HeldFolder::attempt(path));
  }
  EXPECT_TRUE(HeldFolder::attempt(path));
}

// A child that another thread forks has the open folder, too, for as long as it lives.
TEST(HeldFolder, IsFreeAlthoughAChildWasForkedMeanwhile) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "model";
  std::filesystem::create_directory(path);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t child = -1;
  {
    const auto held = HeldFolder::attempt(path);
    ASSERT_TRUE(held);
    child = ::fork();
    if (child == 0) {
      ::close(ends[1]);
      char none;
      ::_exit(::read(ends[0], &none, 1) == 0 ? 7 : 1);  // until the parent is done
    }
  }
  EXPECT_TRUE(HeldFolder::attempt(path));
  ::close(ends[0]);
  ::close(ends[1]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(HeldFolder, MayBeTheFirstFileOfAll) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "model";
  std::filesystem::create_directory(path);
  const WithoutStandardInput closed;
  {
    const auto held = HeldFolder::attempt(path);
    ASSERT_TRUE(held);
    EXPECT_TRUE(held->locked());
  }
  const auto held = HeldFolder::wait(path);
  ASSERT_TRUE(held);
  EXPECT_FALSE(HeldFolder::attempt(path));
}

}  // namespace
}  // namespace heed::io
