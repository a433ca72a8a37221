// How many threads this process should use when nobody says: what the scheduler and the container's
// limit of processor time let it have.
#pragma once

#include <filesystem>

namespace heed::detail {

inline constexpr int kMostThreads = 1024;

/// Processors' worth of time that the control group of this process may use, rounded up; 0 where
/// nothing limits it. Reads ROOT/proc/self/cgroup and, below ROOT/sys/fs/cgroup, cpu.max (version
/// 2) or cpu.cfs_quota_us and cpu.cfs_period_us (version 1) of the group and of all groups above
/// it. What cannot be read or makes no sense limits nothing.
int quota_processors(const std::filesystem::path& root);

/// HEED_NUM_THREADS if set; else the first number of OMP_NUM_THREADS if that is one; else the
/// processors that this thread may run on, or the quota where that is less. In [1, 1024]. Throws
/// ValueError where HEED_NUM_THREADS is not.
int default_threads();

}  // namespace heed::detail
