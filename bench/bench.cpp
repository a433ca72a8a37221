// Runs our program and libtorch's for the same work, in turns within one run, and the machine's own
// rate beside them. Prints medians. Ends with 1 when the losses of both sides differ.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bounds.h"
#include "copy.h"
#include "crowded.h"
#include "decode.h"
#include "linear.h"
#include "local.h"
#include "machine.h"
#include "mpi.h"
#include "one_processor.h"
#include "ort.h"
#include "rows.h"
#include "runner.h"
#include "sgemm.h"
#include "stream.h"
#include "table.h"

namespace {

using bench::Limit;
using bench::Result;
using bench::Row;
using bench::Runner;

struct Settings {
  std::vector<std::string> only;
  int threads = 2;
  int repeats = 9;
  std::int64_t bytes = bench::stream::kBytes;
  std::string json_file;
  std::string onnxruntime;
  std::string profile;
};

Result measure(const Row& row, const Settings& settings) {
  Runner ours("heed_" + row.programs, row.name, row.steps, settings.threads);
  Runner theirs("libtorch_" + row.programs, row.name, row.steps, settings.threads);
  Runner limit(row.limit == Limit::flops ? "sgemm" : "copy", row.name, 1, settings.threads);
  for (int i = 0; i < settings.repeats; ++i) {
    ours.run();
    theirs.run();
    limit.run();
  }
  bool agree = true;
  for (std::size_t i = 0; i < ours.first().size(); ++i) {
    const double difference = std::abs(ours.first()[i] - theirs.first()[i]);
    agree = agree && difference <= row.tolerance * std::abs(theirs.first()[i]);
  }
  fmt::print("{:<12} loss {:.6f}, gradients {:.6g}; libtorch {:.6f}, {:.6g}: {}\n", row.name,
             ours.first()[0], ours.first()[1], theirs.first()[0], theirs.first()[1],
             agree ? "they agree" : "THEY DIFFER, the times mean nothing");
  std::fflush(stdout);
  const double limit_work =
      row.limit == Limit::flops ? bench::sgemm::flops() : bench::copy::bytes();
  return {.row = row,
          .threads = settings.threads,
          .ours_ms = ours.ms(),
          .libtorch_ms = theirs.ms(),
          .ours_peak_mb = ours.peak_mb(),
          .libtorch_peak_mb = theirs.peak_mb(),
          .limit_rate = limit_work / limit.ms(),
          .losses_agree = agree};
}

int profile(const Settings& settings) {
  for (const Row& row : bench::kRows) {
    if (row.name != settings.profile) continue;
    fmt::print("{}",
               Runner("heed_" + row.programs, row.name, row.steps, settings.threads).profile());
  }
  return 0;
}

int run(const Settings& settings) {
  const auto wanted = [&](const std::string& name) {
    const auto& only = settings.only;
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  std::optional<bench::OneProcessor> held(std::in_place, settings.threads);
  bench::machine::print(settings.threads, settings.repeats);
  std::vector<Result> results;
  for (const Row& row : bench::kRows) {
    if (wanted(row.name)) results.push_back(measure(row, settings));
  }
  if (!results.empty()) bench::print_table(results);
  std::vector<bench::BoundResult> bounds;
  for (const bench::Bound& bound : bench::kBounds) {
    if (wanted(bound.row)) {
      bounds.push_back(bench::measure(bound, settings.threads, settings.repeats));
    }
  }
  if (wanted(bench::local::kName)) bench::local::measure(settings.threads, settings.repeats);
  if (wanted(bench::decode::kName)) bench::decode::measure(settings.threads, settings.repeats);
  for (const char* row : bench::linear::kNames) {
    if (wanted(row)) bench::linear::measure(row, settings.threads, settings.repeats);
  }
  held.reset();  // processes beside each other, and threads that read ahead
  std::optional<bench::crowded::Result> crowded;
  if (wanted(bench::crowded::kName)) {
    crowded = bench::crowded::measure(settings.threads, settings.repeats);
  }
  std::optional<bench::mpi::Result> mpi;
  if (wanted(bench::mpi::kName)) mpi = bench::mpi::measure(settings.repeats);
  std::optional<bench::stream::Result> stream;
  if (wanted(bench::stream::kName)) {
    stream = bench::stream::measure(settings.threads, settings.repeats, settings.bytes);
  }
  held.emplace(settings.threads);
  std::vector<std::string> beside_ort;
  for (const bench::ort::Row& row : bench::ort::kRows) {
    if (wanted(row.name)) beside_ort.emplace_back(row.name);
  }
  const bool ort_agrees =
      beside_ort.empty() ||
      bench::ort::measure(settings.onnxruntime, beside_ort, settings.threads, settings.repeats);
  if (!settings.json_file.empty()) {
    bench::write_json(results, bounds, crowded, mpi, stream, settings.json_file);
  }
  const bool agree =
      std::all_of(results.begin(), results.end(), [](const Result& r) { return r.losses_agree; });
  return agree && ort_agrees && (!stream || stream->losses_agree) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Settings settings;
  CLI::App app("Training steps of heed and of libtorch, in turns.");
  std::vector<std::string> names;
  for (const Row& row : bench::kRows) names.push_back(row.name);
  const std::vector<std::string> rows = names;
  for (const bench::Bound& bound : bench::kBounds) names.push_back(bound.row);
  names.emplace_back(bench::local::kName);
  names.emplace_back(bench::decode::kName);
  for (const char* row : bench::linear::kNames) names.emplace_back(row);
  names.emplace_back(bench::crowded::kName);
  names.emplace_back(bench::mpi::kName);
  names.emplace_back(bench::stream::kName);
  for (const bench::ort::Row& row : bench::ort::kRows) names.emplace_back(row.name);
  app.add_option("--only", settings.only, "rows to run, instead of all")
      ->check(CLI::IsMember(names));
  app.add_option("--threads", settings.threads, "threads of each program")
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeats", settings.repeats, "turns of each program")
      ->check(CLI::Range(1, 10000));
  app.add_option("--bytes", settings.bytes, "of the text of the row stream")
      ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 40));
  app.add_option("--onnxruntime", settings.onnxruntime,
                 "the folder with node_modules/onnxruntime-node, for the rows ort_*");
  app.add_option("--json", settings.json_file, "also write the results here");
  app.add_option("--profile", settings.profile,
                 "instead: where the time of our side of this row goes, by operator and module")
      ->check(CLI::IsMember(rows));
  CLI11_PARSE(app, argc, argv);
  return settings.profile.empty() ? run(settings) : profile(settings);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench: {}\n", error.what());
  return 2;
}
