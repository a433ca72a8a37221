// Runs our program and libtorch's for the same training step, in turns within one run, and a large
// matrix product beside them as the machine's own limit. Prints medians.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "han.h"
#include "process.h"
#include "sgemm.h"

namespace {

using nlohmann::json;

struct Row {
  const char* name;
  int steps;     ///< in one repeat
  double flops;  ///< of one step's matrix products
};

/// The programs of a row are heed_NAME and libtorch_NAME.
constexpr Row kRows[] = {
    {"han", 3, bench::han::flops()},
};

struct Result {
  std::string row;
  double ours_ms = 0, libtorch_ms = 0;
  double ours_peak_mb = 0, libtorch_peak_mb = 0;
  double limit_fraction = 0;
  double sgemm_gflops = 0;
  bool losses_agree = false;
  double ratio() const { return ours_ms / libtorch_ms; }
};

struct Settings {
  std::vector<std::string> only;
  int threads = 2;
  int repeats = 9;
  std::string json_file;
};

constexpr double kLossTolerance = 1e-3;  // relative

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One of the programs of a row and what it has answered.
class Runner {
 public:
  Runner(const std::string& program, int steps, int threads)
      : process_(
            {program, "--threads", std::to_string(threads), "--steps", std::to_string(steps)}) {}
  void run() {
    // The other program's threads go on spinning for a moment after their last parallel region.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const json answer = json::parse(process_.ask("run"));
    times_.push_back(answer.at("ms"));
    losses_.push_back(answer.at("loss"));
  }
  double ms() const { return median(times_); }
  double first_loss() const { return losses_.front(); }
  double peak_mb() { return json::parse(process_.ask("quit")).at("peak_mb"); }

 private:
  bench::Process process_;
  std::vector<double> times_;
  std::vector<double> losses_;
};

Result measure(const Row& row, const Settings& settings) {
  const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  Runner ours(fmt::format("{}/heed_{}", folder, row.name), row.steps, settings.threads);
  Runner theirs(fmt::format("{}/libtorch_{}", folder, row.name), row.steps, settings.threads);
  Runner product(folder + "/sgemm", 1, settings.threads);
  for (int i = 0; i < settings.repeats; ++i) {
    ours.run();
    theirs.run();
    product.run();
  }
  // Only the first: later losses drift apart by what rounding adds up to.
  const double difference = std::abs(ours.first_loss() - theirs.first_loss());
  const bool agree = difference <= kLossTolerance * std::abs(theirs.first_loss());
  fmt::print("{:<12} loss {:.6f}, libtorch {:.6f}: {}\n", row.name, ours.first_loss(),
             theirs.first_loss(), agree ? "they agree" : "THEY DIFFER, the times mean nothing");
  const double flops_per_ms = bench::sgemm::flops() / product.ms();
  return {.row = row.name,
          .ours_ms = ours.ms(),
          .libtorch_ms = theirs.ms(),
          .ours_peak_mb = ours.peak_mb(),
          .libtorch_peak_mb = theirs.peak_mb(),
          .limit_fraction = row.flops / flops_per_ms / ours.ms(),
          .sgemm_gflops = flops_per_ms * 1e-6,
          .losses_agree = agree};
}

void print_table(const std::vector<Result>& results, int threads) {
  fmt::print("\n{:<12} {:>7} {:>10} {:>12} {:>7} {:>9} {:>9} {:>12}\n", "row", "threads",
             "ours, ms", "libtorch, ms", "ratio", "of limit", "ours, MB", "libtorch, MB");
  for (const Result& r : results) {
    fmt::print("{:<12} {:>7} {:>10.3f} {:>12.3f} {:>7.3f} {:>9.3f} {:>9.0f} {:>12.0f}\n", r.row,
               threads, r.ours_ms, r.libtorch_ms, r.ratio(), r.limit_fraction, r.ours_peak_mb,
               r.libtorch_peak_mb);
  }
  fmt::print(
      "\nof limit: the time that the matrix products would take at the rate of a {0} x {0} sgemm\n"
      "({1:.0f} GFLOP/s in this run), over our time.\n",
      bench::sgemm::kSize, results.front().sgemm_gflops);
}

void write_json(const std::vector<Result>& results, const Settings& settings) {
  json list = json::array();
  for (const Result& r : results) {
    list.push_back({{"row", r.row},
                    {"threads", settings.threads},
                    {"ours_ms", r.ours_ms},
                    {"libtorch_ms", r.libtorch_ms},
                    {"ratio", r.ratio()},
                    {"ours_peak_mb", r.ours_peak_mb},
                    {"libtorch_peak_mb", r.libtorch_peak_mb},
                    {"limit_fraction", r.limit_fraction}});
  }
  std::ofstream out(settings.json_file);
  out << list.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error(settings.json_file + ": cannot be written");
}

int run(const Settings& settings) {
  std::vector<Result> results;
  for (const Row& row : kRows) {
    const auto& only = settings.only;
    if (!only.empty() && std::find(only.begin(), only.end(), row.name) == only.end()) continue;
    results.push_back(measure(row, settings));
  }
  print_table(results, settings.threads);
  if (!settings.json_file.empty()) write_json(results, settings);
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.losses_agree; })
             ? 0
             : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  CLI::App app("Training steps of heed and of libtorch, in turns.");
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  app.add_option("--only", settings.only, "rows to run, instead of all")
      ->check(CLI::IsMember(names));
  app.add_option("--threads", settings.threads, "threads of each program")
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeats", settings.repeats, "turns of each program")
      ->check(CLI::Range(1, 10000));
  app.add_option("--json", settings.json_file, "also write the results here");
  CLI11_PARSE(app, argc, argv);
  return run(settings);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench: {}\n", error.what());
  return 1;
}
