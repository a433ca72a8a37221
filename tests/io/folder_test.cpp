#include "../../io/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "temporary_folder.h"

namespace heed::io {
namespace {

// Files that are opened meanwhile take the number that standard input had, 0.
class WithoutStandardInput {
 public:
  WithoutStandardInput() : kept_(::dup(0)) { ::close(0); }
  ~WithoutStandardInput() {
    ::dup2(kept_, 0);
    ::close(kept_);
  }
  WithoutStandardInput(const WithoutStandardInput&) = delete;
  WithoutStandardInput& operator=(const WithoutStandardInput&) = delete;

 private:
  int kept_;
};

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
