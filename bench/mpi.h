// The row mpi: what it costs to share a training out. A process of one thread takes the row
// transformer's step alone, and two take it side by side, on twice the batch; and one with two
// threads on one batch.
#pragma once

#include <cstddef>

namespace bench::mpi {

/// Messages that are measured, and how often they go in one step.
inline constexpr std::size_t kSmall = 8, kLarge = std::size_t{1} << 26;
constexpr int times(std::size_t bytes) { return bytes < 1024 ? 2000 : 1; }

inline constexpr const char* kName = "mpi";
inline constexpr double kTarget = 1.11;  ///< a step of two processes over one process' step

struct Result {
  double alone_ms = 0, together_ms = 0, threads_ms = 0;
  double small_ms = 0, large_ms = 0;  ///< to the other process and back at once

  double ratio() const { return together_ms / alone_ms; }
  bool met() const { return ratio() <= kTarget; }
  /// Batches a second of two processes over those of two threads.
  double throughput() const { return 2 * threads_ms / together_ms; }
};

/// Measures and prints.
Result measure(int repeats);

}  // namespace bench::mpi
