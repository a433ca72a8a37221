#include "crowded.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "busy_loops.h"
#include "runner.h"

namespace bench::crowded {
namespace {

// A turn takes long enough for the kernel to hand the processors round many times.
struct Program {
  const char *name, *row;
  int steps;
};
constexpr Program kPrograms[] = {
    {"heed_mlp", "mlp", 1500}, {"heed_han", "han", 20}, {"heed_overhead", "tiny", 1500}};
constexpr int kCrowds[] = {0, 1, 2};  // busy loops a processor

}  // namespace

double Result::ratio() const {
  double worst = 0;
  for (const Case& c : cases) worst = std::max(worst, c.ratio());
  return worst;
}

Result measure(int threads, int repeats) {
  Result result{.threads = threads, .cases = {}};
  const int processors = BusyLoops::processors();
  fmt::print("\n{:<12} {:>7} {:>6} {:>7} {:>10} {:>10} {:>6} {:>7}\n", "row", "threads", "of",
             "loops", "ms", "alone, ms", "share", "ratio");
  for (const Program& program : kPrograms) {
    std::deque<Runner> runners;
    for (std::size_t i = 0; i < std::size(kCrowds); ++i) {
      runners.emplace_back(program.name, program.row, program.steps, threads);
    }
    for (int turn = 0; turn < repeats; ++turn) {
      for (std::size_t i = 0; i < std::size(kCrowds); ++i) {
        const BusyLoops loops(kCrowds[i] * processors);
        runners[i].run();
      }
    }
    for (std::size_t i = 1; i < std::size(kCrowds); ++i) {
      result.cases.push_back({.row = program.row,
                              .loops = kCrowds[i] * processors,
                              .ms = runners[i].ms(),
                              .quiet_ms = runners[0].ms(),
                              .share = 1.0 + kCrowds[i]});
      const Case& c = result.cases.back();
      fmt::print("{:<12} {:>7} {:>6} {:>7} {:>10.3f} {:>10.3f} {:>6.0f} {:>7.2f}\n", kName, threads,
                 c.row, c.loops, c.ms, c.quiet_ms, c.share, c.ratio());
      std::fflush(stdout);
    }
  }
  fmt::print("The worst of these is {:.2f} of a fair share's time, at most {:.1f}: {}\n",
             result.ratio(), kTarget, result.met() ? "ok" : "MISSED");
  return result;
}

}  // namespace bench::crowded
