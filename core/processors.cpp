#include "processors.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "error.h"

namespace heed::detail {
namespace {

namespace fs = std::filesystem;

double ratio_or_none(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : HUGE_VAL;
}

// "200000 100000" or "max 100000"; a file that is not there sets no limit.
double version_2(const fs::path& group) {
  double quota = 0, period = 0;
  std::ifstream(group / "cpu.max") >> quota >> period;
  return ratio_or_none(quota, period);
}

// -1 stands for no limit.
double version_1(const fs::path& group) {
  double quota = 0, period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return ratio_or_none(quota, period);
}

// The least of a group and those above it. A container sees its own group as the mount's top and
// may be told a path that leads nowhere there.
template <class Read>
double least(const fs::path& mount, const std::string& path, Read read) {
  double found = read(mount);
  fs::path group = mount;
  for (const fs::path& part : fs::path(path).relative_path()) {
    group /= part;
    found = std::min(found, read(group));
  }
  return found;
}

// Whether `name` stands in a list like "cpu,cpuacct".
bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

// The number that `text` begins with, 0 where it is not in [1, 1024].
int threads_in(std::string_view text, bool whole) {
  int threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  const bool fits = error == std::errc() && threads >= 1 && threads <= kMostThreads;
  return fits && (!whole || end == text.data() + text.size()) ? threads : 0;
}

int processors_of_this_thread() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than a cpu_set_t holds
}

}  // namespace

int quota_processors(const fs::path& root) {
  double limit = HUGE_VAL;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/path", "0::/path"
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      limit = std::min(limit, least(mounts, path, version_2));
      limit = std::min(limit, least(mounts / "unified", path, version_2));
    } else if (lists(controllers, "cpu")) {
      limit = std::min(limit, least(mounts / controllers, path, version_1));
      limit = std::min(limit, least(mounts / "cpu", path, version_1));
    }
  }
  return limit < kMostThreads ? static_cast<int>(std::ceil(limit)) : 0;
}

int default_threads() {
  if (const char* own = std::getenv("HEED_NUM_THREADS"); own != nullptr) {
    const int threads = threads_in(own, true);
    if (threads == 0) {
      throw ValueError(
          fmt::format("HEED_NUM_THREADS: '{:.40}' is not in [1, {}]", own, kMostThreads));
    }
    return threads;
  }
  if (const char* shared = std::getenv("OMP_NUM_THREADS"); shared != nullptr) {
    if (const int threads = threads_in(shared, false); threads > 0) return threads;
  }
  const int quota = quota_processors("/");
  const int processors = std::clamp(processors_of_this_thread(), 1, kMostThreads);
  return quota > 0 ? std::min(quota, processors) : processors;
}

}  // namespace heed::detail
