#include "linear.h"

#include <fmt/format.h>

#include <cmath>

#include "runner.h"

namespace bench::linear {
namespace {

// What four times the steps may cost, and the share of softmax attention's time at the longest.
constexpr double kFourfold = 4.3, kShare = 0.1;

}  // namespace

void measure(const char* row, int threads, int repeats) {
  fmt::print("\n{:<12} {:>7} {:>7} {:>10} {:>12} {:>12} {:>8} {:>9} {:>11}\n", "row", "threads",
             "T", "ms", "ns of a step", "softmax, ms", "ratio", "MB", "softmax, MB");
  double first = 0, last = 0, ratio = 0;
  for (const std::int64_t steps : kSteps) {
    const int turn = steps == kSteps[0] ? 4 : 1;
    Runner ours("heed_attention", fmt::format("{}_{}", row, steps), turn, threads);
    Runner softmax("heed_attention", fmt::format("causal_{}", steps), 1, threads);
    for (int i = 0; i < repeats; ++i) {
      ours.run();
      softmax.run();
    }
    ratio = ours.ms() / softmax.ms();
    (steps == kSteps[0] ? first : last) = ours.ms();
    fmt::print("{:<12} {:>7} {:>7} {:>10.2f} {:>12.1f} {:>12.1f} {:>8.3f} {:>9.0f} {:>11.0f}\n",
               row, threads, steps, ours.ms(), ours.ms() * 1e6 / static_cast<double>(steps),
               softmax.ms(), ratio, ours.peak_mb(), softmax.peak_mb());
  }
  const double times = static_cast<double>(kSteps[1]) / static_cast<double>(kSteps[0]);
  const double growth = std::pow(last / first, std::log(4.0) / std::log(times));
  fmt::print(
      "Fourfold T takes {:.2f} times as long: {}; at {} steps {:.3f} of softmax attention: {}\n",
      growth, growth <= kFourfold ? "ok" : "MISSED", kSteps[1], ratio,
      ratio <= kShare ? "ok" : "MISSED");
}

}  // namespace bench::linear
