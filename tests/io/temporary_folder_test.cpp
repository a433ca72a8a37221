#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "../support/throws.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, HasAPathWithoutLinks) {
  const TemporaryFolder above;
  fs::create_directory(above / "real");
  fs::create_directory_symlink(above / "real", above / "link");
  const TemporaryFolder folder(above / "link");
  EXPECT_EQ(folder.path().parent_path(), above / "real");
}

TEST(TemporaryFolder, SaysWhyItCannotBe) {
  const TemporaryFolder above;
  EXPECT_ERROR_WITH(std::runtime_error, "Not a directory",
                    TemporaryFolder(above.write("file", "")));
}

}  // namespace
}  // namespace heed
