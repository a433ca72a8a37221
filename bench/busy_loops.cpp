#include "busy_loops.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace bench {

BusyLoops::BusyLoops(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // no loop outlives the benchmark
      for (volatile unsigned turns = 0;;) turns = turns + 1;
    }
    if (pid < 0) throw std::runtime_error("bench: no process for a busy loop");
    pids_.push_back(pid);
  }
  // Until the kernel has spread them over the processors.
  if (count > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

BusyLoops::~BusyLoops() {
  for (const pid_t pid : pids_) kill(pid, SIGKILL);
  for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
}

int BusyLoops::processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace bench
