// Other work on the machine: processes that do nothing but take processor time.
#pragma once

#include <sys/types.h>

#include <vector>

namespace bench {

class BusyLoops {
 public:
  /// Returns once all of them run.
  explicit BusyLoops(int count);
  ~BusyLoops();
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;

  /// Processors that this process may use.
  static int processors();

 private:
  std::vector<pid_t> pids_;
};

}  // namespace bench
