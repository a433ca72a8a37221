// Of heed's programs: where the time of a step goes, by train::Profiler, and what profiling adds to
// it. Installs itself into protocol.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "../core/json_events.h"
#include "../train/profiler.h"
#include "protocol.h"

namespace bench {

/// {"table": of `steps` profiled steps, "plain", "profiled": the least milliseconds a step of nine
/// turns each}.
inline std::string profile_steps(int steps, const std::function<void()>& step) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](std::vector<double>& times) {
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) step();
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    times.push_back(took.count() / steps);
  };
  const auto least = [](const std::vector<double>& times) {
    return *std::min_element(times.begin(), times.end());
  };
  constexpr int kTurns = 9;  // alternating, so that both see the same machine
  std::vector<double> plain, profiled;
  std::string table;
  for (int i = 0; i < kTurns; ++i) {
    timed(plain);
    heed::train::Profiler profiler;
    timed(profiled);
    profiler.stop();
    table = profiler.table();
  }
  return fmt::format(R"({{"table":{},"plain":{:.6f},"profiled":{:.6f}}})", heed::json_quote(table),
                     least(plain), least(profiled));
}

inline const bool kCanProfile = (profile = profile_steps, true);

}  // namespace bench
