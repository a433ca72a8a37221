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
  const Result out{alone.ms(), together.ms(), threads.ms()};
  fmt::print(
      "\n{:<12} one process {:.1f} ms a step, two on twice the batch {:.1f} ms: {:.2f}, at most "
      "{:.2f}: {}\n{:<12} one of two threads {:.1f} ms: two processes have {:.2f} of its "
      "throughput, at "
      "least 0.95: {}\n",
      kName, out.alone_ms, out.together_ms, out.ratio(), kTarget, out.met() ? "ok" : "MISSED", "",
      out.threads_ms, out.throughput(), out.throughput() >= 0.95 ? "ok" : "MISSED");
  return out;
}

}  // namespace bench::mpi
