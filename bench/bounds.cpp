#include "bounds.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "runner.h"

namespace bench {

double bf16_target() {
  std::ifstream processors("/proc/cpuinfo");
  std::string line;
  while (std::getline(processors, line) && !line.starts_with("flags")) {
  }
  const auto has = [&](const char* flag) { return line.find(flag) != std::string::npos; };
  return has("amx_bf16") ? 1 / 2.0 : has("avx512_bf16") ? 1 / 1.3 : 1 / 0.95;
}

BoundResult measure(const Bound& bound, int threads, int repeats) {
  Runner row("heed_" + bound.program, bound.row, 1, threads);
  Runner base("heed_" + bound.beside, bound.base, 1, threads);
  for (int i = 0; i < repeats; ++i) {
    row.run();
    base.run();
  }
  BoundResult result{.bound = bound, .threads = threads, .ms = row.ms(), .base_ms = base.ms()};
  result.peak_mb = row.peak_mb();
  result.base_peak_mb = base.peak_mb();
  fmt::print(
      "{}: {:.3f} ms and {:.0f} MB; {}: {:.3f} ms and {:.0f} MB; of {:.3f} of its time {:.3f}, at "
      "most {:.2f}: {}\n",
      bound.row, result.ms, result.peak_mb, bound.base, result.base_ms, result.base_peak_mb,
      bound.share, result.ratio(), bound.target, result.met() ? "ok" : "MISSED");
  return result;
}

}  // namespace bench
