// scripts/machine.sh, and which folders hold no sources of the project.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "../io/temporary_folder.h"
#include "../support/places.h"
#include "source_tree.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class JobCount : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("bash -c true >/dev/null 2>&1") != 0) GTEST_SKIP() << "no bash";
    // A machine of 13 processors, but for OMP_NUM_THREADS.
    write("nproc", "#!/bin/sh\necho ${OMP_NUM_THREADS:-13}\n");
    fs::permissions(folder_ / "nproc", fs::perms::owner_exec, fs::perm_options::add);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_ / name).parent_path());
    folder_.write(name, text);
  }
  std::string count() const {
    const std::string folder = folder_.path().string();
    const std::string command =
        "PATH='" + folder + "':\"$PATH\" OMP_NUM_THREADS=3 bash -euc '. \"" +
        (source_root() / "scripts/machine.sh").string() + "\"; job_count \"" + folder + "\"'";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string line;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) line += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0);
    return line;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(JobCount, IsThatOfTheProcessors) { EXPECT_EQ(count(), "13\n"); }

TEST_F(JobCount, IsBoundedByAQuota) {
  write("cpu.max", "250000 100000\n");
  EXPECT_EQ(count(), "3\n");
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(count(), "2\n");
  write("cpu.max", "1000 100000\n");
  EXPECT_EQ(count(), "1\n");
  for (const char* text : {"max 100000\n", "1700000 100000\n", "", "x y\n", "100000 0\n"}) {
    write("cpu.max", text);
    EXPECT_EQ(count(), "13\n") << text;
  }
}

TEST_F(JobCount, IsBoundedByAQuotaOfVersion1) {
  write("cpu/cpu.cfs_period_us", "50000\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(count(), "13\n");
  write("cpu/cpu.cfs_quota_us", "340000\n");
  EXPECT_EQ(count(), "7\n");
}

TEST(SourceTree, BuildsAndPackagesAreForeign) {
  const TemporaryFolder folder;
  const fs::path path = folder.path();
  EXPECT_FALSE(is_foreign(path));
  EXPECT_TRUE(is_foreign(path / "node_modules"));
  for (const char* mark : {"CMakeCache.txt", "pyvenv.cfg"}) {
    folder.write(mark, "");
    EXPECT_TRUE(is_foreign(path)) << mark;
    fs::remove(path / mark);
  }
  EXPECT_FALSE(is_foreign(path));
}

}  // namespace
}  // namespace heed
