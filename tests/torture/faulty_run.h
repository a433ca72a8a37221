// heed_saver, run as a process of its own under system_calls.cpp.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace heed {

struct Fault {
  std::string kind = {};    ///< "kill", "eio"...; "" for none
  long at = 0;              ///< which call, from 1
  bool on = false;          ///< and all calls after it
  std::string refuse = {};  ///< "link", "exchange", "lock" or several
  std::string victim = {};  ///< the folder that vanishes
  std::string late = {};    ///< a file that appears right before an exchange
};

struct Ran {
  bool killed = false;
  int code = 0;
  long calls = 0;  ///< that could fail; unknown when killed
  std::vector<std::string> lines = {};  ///< of each call, its name and the path it was made for
};

/// The program: of this build, or the one that HEED_SAVER names (scripts/mutate).
inline const char* saver() {
  const char* told = std::getenv("HEED_SAVER");
  return told == nullptr ? HEED_SAVER : told;
}

/// `folder`: calls on what is in it fail.
inline Ran run_saver(const std::string& folder, const std::vector<std::string>& arguments,
                     const Fault& fault) {
  const std::string count = folder + ".calls";
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("LD_PRELOAD", HEED_FAILING_CALLS, 1);
    ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    ::setenv("HEED_FAULT", fault.kind.c_str(), 1);
    ::setenv("HEED_FAULT_AT", (std::to_string(fault.at) + (fault.on ? "+" : "")).c_str(), 1);
    ::setenv("HEED_FAULT_FOLDER", (folder + "/").c_str(), 1);
    ::setenv("HEED_FAULT_VICTIM", fault.victim.c_str(), 1);
    ::setenv("HEED_FAULT_LATE", fault.late.c_str(), 1);
    ::setenv("HEED_FAULT_COUNT", count.c_str(), 1);
    ::setenv("HEED_REFUSE", fault.refuse.c_str(), 1);
    static_cast<void>(!std::freopen("/dev/null", "w", stdout));
    static_cast<void>(!std::freopen("/dev/null", "w", stderr));
    std::vector<char*> argv = {const_cast<char*>(saver())};
    for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
    argv.push_back(nullptr);
    ::execv(saver(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Ran out{WIFSIGNALED(status) != 0, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  std::ifstream told(count);
  std::string line;
  if (std::getline(told, line)) out.calls = std::atol(line.c_str());
  while (std::getline(told, line)) out.lines.push_back(line);
  std::error_code ignored;
  std::filesystem::remove(count, ignored);
  return out;
}

}  // namespace heed
