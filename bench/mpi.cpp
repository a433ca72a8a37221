#include "mpi.h"

#include <fmt/format.h>

#include "runner.h"

namespace bench::mpi {

Result measure(int repeats) {
  Runner alone(1, "heed_mpi", kName, 1, 1), together(2, "heed_mpi", kName, 1, 1),
      threads(1, "heed_mpi", kName, 1, 2);
  for (int turn = 0; turn < repeats; ++turn) {
    alone.run();
    together.run();
    threads.run();
  }
  Runner small(2, "heed_mpi", fmt::format("link_{}", kSmall), 1, 1);
  Runner large(2, "heed_mpi", fmt::format("link_{}", kLarge), 1, 1);
  for (int turn = 0; turn < repeats; ++turn) small.run(), large.run();
  const Result out{alone.ms(), together.ms(), threads.ms(), small.ms() / times(kSmall), large.ms()};
  fmt::print(
      "\n{:<12} one process {:.1f} ms a step, two on twice the batch {:.1f} ms: {:.2f}, at most "
      "{:.2f}: {}\n{:<12} one of two threads {:.1f} ms: two processes have {:.2f} of its "
      "throughput, at "
      "least 0.95: {}\n",
      kName, out.alone_ms, out.together_ms, out.ratio(), kTarget, out.met() ? "ok" : "MISSED", "",
      out.threads_ms, out.throughput(), out.throughput() >= 0.95 ? "ok" : "MISSED");
  fmt::print("{:<12} {} bytes to the other process in {:.2f} microseconds, {} MB at {:.1f} GB/s\n",
             "", kSmall, out.small_ms * 1e3, kLarge >> 20,
             static_cast<double>(kLarge) / out.large_ms / 1e6);
  return out;
}

}  // namespace bench::mpi
