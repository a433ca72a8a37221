#include "ort.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "process.h"

#ifndef HEED_BENCH_SOURCE
#error "where bench/onnxruntime lies"
#endif

namespace bench::ort {
namespace {

using nlohmann::json;

struct Side {
  explicit Side(const std::vector<std::string>& command) : process(command) {}
  void run() {
    const json answer = json::parse(process.ask("run"));
    times.push_back(answer.at("ms"));
    loss = answer.at("loss");
  }
  double ms() const {
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  Process process;
  std::vector<double> times;
  double loss = 0;
};

bool measure(const Row& row, const std::string& packages, int threads, int repeats) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("heed_{}_{}.onnx", row.name, getpid());
  const auto command = [&](std::vector<std::string> program) {
    program.insert(program.end(), {"--row", row.name, "--threads", std::to_string(threads),
                                   "--steps", "1", "--file", file.string()});
    return program;
  };
  Side ours(command({here / "heed_ort"}));  // which writes the file
  Side theirs(
      command({"/usr/bin/env", "node", HEED_BENCH_SOURCE "/onnxruntime/run.mjs", packages}));
  std::filesystem::remove(file);
  for (int i = 0; i < repeats; ++i) {
    ours.run();
    theirs.run();
  }
  const bool agree = std::abs(ours.loss - theirs.loss) <= 1e-3 * std::abs(ours.loss);
  const double ratio = ours.ms() / theirs.ms();
  fmt::print("{:<12} {:>7} {:>9} {:>11.3f} {:>11.3f} {:>7.2f} {:>7} {}\n", row.name, threads,
             row.what, ours.ms() / row.per_step, theirs.ms() / row.per_step, ratio,
             ratio <= row.target ? "ok" : "MISSED",
             agree ? "" : "RESULTS DIFFER, the times mean nothing");
  std::fflush(stdout);
  return agree;
}

}  // namespace

bool measure(const std::string& packages, const std::vector<std::string>& only, int threads,
             int repeats) {
  bool agree = true, first = true;
  for (const Row& row : kRows) {
    if (!only.empty() && std::find(only.begin(), only.end(), row.name) == only.end()) continue;
    if (!std::filesystem::is_directory(packages + "/node_modules/onnxruntime-node")) {
      fmt::print("{:<12} skipped: no onnxruntime-node in {}\n", row.name, packages);
      continue;
    }
    if (first) {
      fmt::print("\n{:<12} {:>7} {:>9} {:>11} {:>11} {:>7} {:>7}\n", "row", "threads", "of",
                 "heed, ms", "ort, ms", "ratio", "target");
      first = false;
    }
    agree = measure(row, packages, threads, repeats) && agree;
  }
  return agree;
}

}  // namespace bench::ort
