// A measured program that takes turns with others, and what it has answered.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "process.h"

namespace bench {

class Runner {
 public:
  /// Starts a program of this one's folder.
  Runner(const std::string& program, const std::string& row, int steps, int threads,
         const std::vector<std::string>& more = {});
  /// The same in so many processes of MPI.
  Runner(int processes, const std::string& program, const std::string& row, int steps, int threads);

  /// One turn.
  void run();
  /// The median of the turns, of one step.
  double ms() const;
  /// After the first turn: the loss, and a number that stands for the gradients.
  const std::array<double, 2>& first() const { return first_; }
  /// Of one of heed's: where the time of a turn's steps goes, as a table, and what profiling costs.
  std::string profile();
  /// The OpenBLAS that the program has loaded.
  std::string blas();
  /// Ends the program.
  double peak_mb();

 private:
  Process process_;
  std::vector<double> times_;
  std::array<double, 2> first_{};
};

}  // namespace bench
