#include "runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

namespace bench {
namespace {

using nlohmann::json;

std::string beside_this(const std::string& program) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / program;
}

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace

Runner::Runner(const std::string& program, const std::string& row, int steps, int threads,
               const std::vector<std::string>& more)
    : process_(joined({beside_this(program), "--row", row, "--threads", std::to_string(threads),
                       "--steps", std::to_string(steps)},
                      more)) {}

Runner::Runner(int processes, const std::string& program, const std::string& row, int steps,
               int threads)
    : process_({"/usr/bin/env", "mpirun", "-q", "--allow-run-as-root", "--oversubscribe",
                "--bind-to", "none", "-n", std::to_string(processes), beside_this(program), "--row",
                row, "--threads", std::to_string(threads), "--steps", std::to_string(steps)}) {}

void Runner::run() {
  // The other program's threads go on spinning for a moment after their last parallel region.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const json answer = json::parse(process_.ask("run"));
  times_.push_back(answer.at("ms"));
  // Only the first: later losses drift apart by what rounding adds up to.
  if (times_.size() == 1) first_ = {answer.at("loss"), answer.at("gradients")};
}

double Runner::ms() const {
  std::vector<double> sorted = times_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

std::string Runner::profile() {
  const json answer = json::parse(process_.ask("profile"));
  const double plain = answer.at("plain"), profiled = answer.at("profiled");
  return fmt::format("{}a step takes {:.3f} ms, {:.3f} ms while it is profiled ({:+.1f}%)\n",
                     answer.at("table").get<std::string>(), plain, profiled,
                     100 * (profiled / plain - 1));
}

std::string Runner::blas() { return json::parse(process_.ask("blas")).at("blas"); }

double Runner::peak_mb() { return json::parse(process_.ask("quit")).at("peak_mb"); }

}  // namespace bench
