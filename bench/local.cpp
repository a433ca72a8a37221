#include "local.h"

#include <fmt/format.h>

#include <vector>

#include "attention.h"
#include "runner.h"

namespace bench::local {
namespace {

// What the last doubling of T may cost: 2 in proportion to T, 4 to its square. Shorter lengths
// would hide growth behind what a step costs whatever T is.
constexpr double kDoubling = 2.5;

}  // namespace

void measure(int threads, int repeats) {
  fmt::print("\n{:<12} {:>7} {:>7} {:>10} {:>22} {:>10} {:>9} {:>9}\n", "row", "threads", "T",
             "local, ms", "ns of a T x window", "full, ms", "local, MB", "full, MB");
  std::vector<double> times;
  for (const std::int64_t steps : kSteps) {
    const int turn = static_cast<int>(16 * kSteps[0] / steps);  // steps of a turn, 50 ms or so
    Runner local("heed_attention", fmt::format("local_{}", steps), turn, threads);
    Runner full("heed_attention", fmt::format("full_{}", steps), 1, threads);
    for (int i = 0; i < repeats; ++i) {
      local.run();
      full.run();
    }
    times.push_back(local.ms());
    const double cost = local.ms() * 1e6 / static_cast<double>(steps * kWindow);
    fmt::print("{:<12} {:>7} {:>7} {:>10.3f} {:>22.3f} {:>10.3f} {:>9.0f} {:>9.0f}\n", kName,
               threads, steps, local.ms(), cost, full.ms(), local.peak_mb(), full.peak_mb());
  }
  const double growth = times.back() / times[times.size() - 2];
  fmt::print("The last doubling of T takes {:.2f} times as long: {}\n", growth,
             growth <= kDoubling ? "ok" : "MISSED");
}

}  // namespace bench::local
