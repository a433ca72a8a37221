// A measured program as a child process that answers one line for each line (see protocol.h).
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace bench {

class Process {
 public:
  /// Starts `command` (the first entry is the program's path) and waits for its "ready". Throws
  /// std::runtime_error when it does not come.
  explicit Process(const std::vector<std::string>& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Sends a line, returns the answer. Throws std::runtime_error when the program has ended, or has
  /// no answer to it.
  std::string ask(const std::string& line);

 private:
  std::string read_line();

  std::string name_;
  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace bench
