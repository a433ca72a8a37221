// The default number of threads, from files and variables made up for it.
#include "../../core/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "../../core/error.h"
#include "../io/temporary_folder.h"
#include "../support/throws.h"

namespace heed::detail {
namespace {

namespace fs = std::filesystem;

class Quota : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ / path).parent_path());
    root_.write(path, text);
  }
  int processors() const { return quota_processors(root_.path()); }

 private:
  TemporaryFolder root_;
};

TEST_F(Quota, NoFilesNoLimit) { EXPECT_EQ(processors(), 0); }

TEST_F(Quota, OfVersion2IsRoundedUp) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(processors(), 3);
  write("sys/fs/cgroup/cpu.max", "310000 100000\n");
  EXPECT_EQ(processors(), 4);
  write("sys/fs/cgroup/cpu.max", "1000 100000\n");
  EXPECT_EQ(processors(), 1);
  write("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(processors(), 0);
}

TEST_F(Quota, TheLeastOfAGroupAndThoseAboveItHolds) {
  write("proc/self/cgroup", "0::/a/b.service\n");
  write("sys/fs/cgroup/a/b.service/cpu.max", "max 100000\n");
  EXPECT_EQ(processors(), 0);
  write("sys/fs/cgroup/a/cpu.max", "500000 100000\n");
  EXPECT_EQ(processors(), 5);
  write("sys/fs/cgroup/a/b.service/cpu.max", "100000 50000\n");
  EXPECT_EQ(processors(), 2);
  write("sys/fs/cgroup/a/b.service/cpu.max", "700000 100000\n");
  EXPECT_EQ(processors(), 5);
}

TEST_F(Quota, AContainerSeesItsOwnGroupAtTheTop) {
  write("proc/self/cgroup", "0::/docker/0123456789\n");
  write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(processors(), 2);
}

TEST_F(Quota, OfVersion1StandsInTwoFiles) {
  write("proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/job\n1:name=systemd:/\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "50000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(processors(), 0);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "125000\n");
  EXPECT_EQ(processors(), 3);
}

TEST_F(Quota, OfVersion1WhereTheMountHasOneName) {
  write("proc/self/cgroup", "4:cpuacct,cpu:/job\n3:cpuset:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), 2);
}

TEST_F(Quota, WhatMakesNoSenseLimitsNothing) {
  write("proc/self/cgroup", "nonsense\n\n:\n0::/\n7:cpu:\n");
  for (const char* text : {"", "max", "x y", "-5 100000", "0 100000", "100000 0", "100000 -1",
                           "100000", "nan 1", "1e400 1", "99999999999 1"}) {
    write("sys/fs/cgroup/cpu.max", text);
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", text);
    EXPECT_EQ(processors(), 0) << text;
  }
}

TEST_F(Quota, OfVersion2BesideVersion1StandsInItsOwnMount) {
  write("proc/self/cgroup", "0::/a\n");
  write("sys/fs/cgroup/unified/a/cpu.max", "700000 100000\n");
  EXPECT_EQ(processors(), 7);
}

TEST_F(Quota, OtherControllersFilesAreNotRead) {
  write("proc/self/cgroup", "5:cpuset:/\n6:xcpu,cpux:/\n");
  for (const char* mount : {"cpuset", "cpu", "xcpu,cpux"}) {
    write(std::string("sys/fs/cgroup/") + mount + "/cpu.cfs_quota_us", "200000\n");
    write(std::string("sys/fs/cgroup/") + mount + "/cpu.cfs_period_us", "100000\n");
  }
  EXPECT_EQ(processors(), 0);
  write("proc/self/cgroup", "4:memory,cpu,pids:/\n");
  EXPECT_EQ(processors(), 2);
}

TEST_F(Quota, OfMoreThanCanBeUsedIsNone) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "102400000 100000\n");
  EXPECT_EQ(processors(), 0);
  write("sys/fs/cgroup/cpu.max", "102350000 100000\n");
  EXPECT_EQ(processors(), 1024);
}

// Sets a variable, or none, and puts it back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const { value ? setenv(name_, value, 1) : unsetenv(name_); }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(DefaultThreads, OwnVariableThenOpenMPs) {
  const Variable shared("OMP_NUM_THREADS", "3,2");
  {
    const Variable own("HEED_NUM_THREADS", "5");
    EXPECT_EQ(default_threads(), 5);
  }
  const Variable own("HEED_NUM_THREADS", nullptr);
  EXPECT_EQ(default_threads(), 3);
}

TEST(DefaultThreads, OwnVariableIsCheckedOpenMPsIsNot) {
  const Variable shared("OMP_NUM_THREADS", "many");
  for (const char* text : {"", "0", "-1", "1025", "4x", "99999999999999999999"}) {
    const Variable own("HEED_NUM_THREADS", text);
    EXPECT_ERROR(ValueError, "HEED_NUM_THREADS: '" + std::string(text) + "' is not in [1, 1024]",
                 default_threads());
  }
  const Variable own("HEED_NUM_THREADS", nullptr);
  EXPECT_GE(default_threads(), 1);
}

TEST(DefaultThreads, AreOneTo1024) {
  const Variable shared("OMP_NUM_THREADS", "1024 ");
  for (const char* text : {"1", "1024"}) {
    const Variable own("HEED_NUM_THREADS", text);
    EXPECT_EQ(default_threads(), std::stoi(text));
  }
  {
    const std::string nines(50, '9');
    const Variable own("HEED_NUM_THREADS", nines.c_str());
    EXPECT_ERROR(ValueError, "HEED_NUM_THREADS: '" + nines.substr(0, 40) + "' is not in [1, 1024]",
                 default_threads());
  }
  const Variable own("HEED_NUM_THREADS", nullptr);
  EXPECT_EQ(default_threads(), 1024);
  for (const char* text : {"1025", "0", "-3"}) {
    const Variable other("OMP_NUM_THREADS", text);
    EXPECT_LT(default_threads(), 1024) << "left aside";
    EXPECT_GE(default_threads(), 1);
  }
}

TEST(DefaultThreads, NoMoreThanTheProcessorsOfThisThread) {
  const Variable shared("OMP_NUM_THREADS", nullptr), own("HEED_NUM_THREADS", nullptr);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  EXPECT_LE(default_threads(), CPU_COUNT(&before));
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(default_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace heed::detail
