#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "copy.h"
#include "sgemm.h"

namespace bench {
namespace {

// GFLOP/s or GB/s, the median of the rows measured against it.
double rate(const std::vector<Result>& results, Limit limit) {
  std::vector<double> rates;
  for (const Result& r : results) {
    if (r.row.limit == limit) rates.push_back(r.limit_rate * 1e-6);
  }
  if (rates.empty()) return 0;
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

void print_table(const std::vector<Result>& results) {
  fmt::print("\n{:<12} {:>7} {:>10} {:>12} {:>7} {:>7} {:>9} {:>9} {:>12}\n", "row", "threads",
             "ours, ms", "libtorch, ms", "ratio", "target", "of limit", "ours, MB", "libtorch, MB");
  for (const Result& r : results) {
    fmt::print(
        "{:<12} {:>7} {:>10.3f} {:>12.3f} {:>7.3f} {:>7.2f} {:>9.3f} {:>9.0f} {:>12.0f} {}\n",
        r.row.name, r.threads, r.ours_ms, r.libtorch_ms, r.ratio(), r.target(), r.limit_fraction(),
        r.ours_peak_mb, r.libtorch_peak_mb, r.met() ? "ok" : "MISSED");
  }
  const auto named = [&](const char* name) {
    return std::find_if(results.begin(), results.end(),
                        [&](const Result& r) { return r.row.name == name; });
  };
  if (const auto hard = named("hard"), soft = named("soft");
      hard != results.end() && soft != results.end()) {
    fmt::print("\nA step of hard attention, 8 samples, takes {:.2f} of a soft one's time.\n",
               hard->ours_ms / soft->ours_ms);
  }
  fmt::print(
      "\nof limit: the time that the row's work would take at the machine's own rate, over "
      "ours.\n");
  if (const double flops = rate(results, Limit::flops); flops > 0) {
    fmt::print("Its sgemm of {0} x {0}: {1:.0f} GFLOP/s in this run.\n", sgemm::kSize, flops);
  }
  if (const double bytes = rate(results, Limit::bytes); bytes > 0) {
    fmt::print("Its copy of {} MB: {:.0f} GB/s read and written.\n", copy::kBytes >> 20, bytes);
  }
}

void write_json(const std::vector<Result>& results, const std::vector<BoundResult>& bounds,
                const std::optional<crowded::Result>& crowded,
                const std::optional<mpi::Result>& mpi, const std::optional<stream::Result>& stream,
                const std::string& path) {
  nlohmann::json list = nlohmann::json::array();
  for (const Result& r : results) {
    list.push_back({{"row", r.row.name},
                    {"threads", r.threads},
                    {"ours_ms", r.ours_ms},
                    {"libtorch_ms", r.libtorch_ms},
                    {"ratio", r.ratio()},
                    {"target", r.target()},
                    {"met", r.met()},
                    {"losses_agree", r.losses_agree},
                    {"ours_peak_mb", r.ours_peak_mb},
                    {"libtorch_peak_mb", r.libtorch_peak_mb},
                    {"limit", r.row.limit == Limit::flops ? "flops" : "bytes"},
                    {"limit_fraction", r.limit_fraction()}});
  }
  for (const BoundResult& b : bounds) {
    if (std::any_of(results.begin(), results.end(),
                    [&](const Result& r) { return r.row.name == b.bound.row; })) {
      continue;
    }
    list.push_back({{"row", b.bound.row},
                    {"threads", b.threads},
                    {"ours_ms", b.ms},
                    {"beside", b.bound.base},
                    {"beside_ms", b.base_ms},
                    {"ratio", b.ratio()},
                    {"target", b.bound.target},
                    {"met", b.met()},
                    {"ours_peak_mb", b.peak_mb},
                    {"beside_peak_mb", b.base_peak_mb}});
  }
  if (mpi) {
    list.push_back({{"row", mpi::kName},
                    {"threads", 1},
                    {"ratio", mpi->ratio()},
                    {"target", mpi::kTarget},
                    {"met", mpi->met()},
                    {"ours_ms", mpi->together_ms},
                    {"alone_ms", mpi->alone_ms},
                    {"two_threads_ms", mpi->threads_ms}});
  }
  if (stream) {
    list.push_back({{"row", stream::kName},
                    {"threads", stream->threads},
                    {"ratio", stream->ratio()},
                    {"target", stream::kTarget},
                    {"met", stream->met()},
                    {"losses_agree", stream->losses_agree},
                    {"ours_ms", stream->streamed_ms},
                    {"memory_ms", stream->memory_ms},
                    {"ours_peak_mb", stream->peak_mb},
                    {"most_peak_mb", stream::kMostMb}});
  }
  if (crowded) {
    nlohmann::json cases = nlohmann::json::array();
    for (const crowded::Case& c : crowded->cases) {
      cases.push_back({{"row", c.row},
                       {"loops", c.loops},
                       {"ms", c.ms},
                       {"alone_ms", c.quiet_ms},
                       {"share", c.share},
                       {"ratio", c.ratio()}});
    }
    list.push_back({{"row", crowded::kName},
                    {"threads", crowded->threads},
                    {"ratio", crowded->ratio()},
                    {"target", crowded::kTarget},
                    {"met", crowded->met()},
                    {"cases", cases}});
  }
  std::ofstream out(path);
  out << list.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace bench
