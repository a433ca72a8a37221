#include "decode.h"

#include <fmt/format.h>

#include "attention.h"
#include "runner.h"

namespace bench::decode {
namespace {

// What a step may cost where twice as many keys are cached: 2 in proportion to them, 4 to their
// square.
constexpr double kDoubling = 2.5;

}  // namespace

void measure(int threads, int repeats) {
  fmt::print("\n{:<12} {:>7} {:>14} {:>12} {:>13} {:>14} {:>9}\n", "row", "threads", "steps",
             "mean keys", "ms a step", "ns of a key", "MB");
  double before = 0, total = 0, step = 0, last_step = 0;  // total: ms of the first `before` steps
  for (const std::int64_t steps : kSteps) {
    Runner runner("heed_attention", fmt::format("decode_{}", steps), 1, threads);
    for (int i = 0; i < repeats; ++i) runner.run();
    const double end = static_cast<double>(steps);
    const double keys = (before + end) / 2;
    last_step = step;
    step = (runner.ms() - total) / (end - before);
    const auto range = fmt::format("{} .. {}", static_cast<std::int64_t>(before) + 1, steps);
    fmt::print("{:<12} {:>7} {:>14} {:>12.0f} {:>13.4f} {:>14.3f} {:>9.0f}\n", kName, threads,
               range, keys, step, step * 1e6 / keys, runner.peak_mb());
    total = runner.ms();
    before = end;
  }
  const double growth = step / last_step;
  fmt::print("Twice the keys make a step take {:.2f} times as long: {}\n", growth,
             growth <= kDoubling ? "ok" : "MISSED");
}

}  // namespace bench::decode
