// --distributed: a program's training shared out among the processes that mpirun began, where the
// library has MPI.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "../core/shape.h"

namespace command_line {

class SharedOut {
 public:
  void add_flags(CLI::App& app);
  /// Throws, where several processes were begun with other options, in each of them.
  void run(const char* program, const std::function<void()>& body) const;

 private:
  const CLI::App* app_ = nullptr;
  bool on_ = false, plain_sums_ = false;
  heed::Index pieces_ = 4;
};

}  // namespace command_line
