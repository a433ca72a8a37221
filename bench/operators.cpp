// Times every case of operators.h at five sizes with Google Benchmark, forward and forward +
// backward, and prints the ratios, the worst first.
#include "operators.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <map>

#include "../core/parallel.h"
#include "workload.h"

namespace bench::operators {
namespace {

constexpr Index kSizes[] = {1, 100, 10'000, 1'000'000, 10'000'000};
constexpr double kBound = 1.1;  // of the ratio

enum class Side { ours, libtorch };

heed::Tensor ours(const Input& input, std::uint64_t seed, bool trained) {
  const heed::Shape shape(input.shape);
  if (input.kind == Kind::numbers) {
    heed::Array out = heed::Array::empty(shape, heed::DType::f32);
    fill(out.mutable_data<float>(), out.numel(), seed, 1.0f, input.center);
    return heed::Tensor(out).set_requires_grad(trained);
  }
  heed::Array out = heed::Array::empty(shape, heed::DType::i64);
  fill(out.mutable_data<Index>(), out.numel(), seed, 0,
       input.kind == Kind::flags ? 2 : input.below);
  return input.kind == Kind::flags ? out.to(heed::DType::boolean) : out;
}

torch::Tensor theirs(const Input& input, std::uint64_t seed, bool trained) {
  if (input.kind == Kind::numbers) {
    torch::Tensor out = torch::empty(input.shape);
    fill(out.data_ptr<float>(), out.numel(), seed, 1.0f, input.center);
    return out.requires_grad_(trained);
  }
  torch::Tensor out = torch::empty(input.shape, torch::kInt64);
  fill(out.data_ptr<Index>(), out.numel(), seed, 0, input.kind == Kind::flags ? 2 : input.below);
  return input.kind == Kind::flags ? out.to(torch::kBool) : out;
}

template <class Make>
auto made(const Operator& op, Index n, bool trained, Make make) {
  std::vector<decltype(make(Input{}, 0, false))> out;
  for (const Input& input : op.inputs(n)) out.push_back(make(input, out.size() + 1, trained));
  return out;
}

// Once before it is timed: pages from the system cost more than most operators, and who has to ask
// for them depends on what ran before.
template <class Step>
void time_steps(benchmark::State& state, const Step& step) {
  step();
  for (auto _ : state) step();
}

void time_ours(benchmark::State& state, const Operator& op, Index n, bool backward) {
  std::vector<heed::Tensor> x = made(op, n, backward, ours);
  if (!backward) {
    time_steps(state, [&] { benchmark::DoNotOptimize(op.ours(x)); });
    return;
  }
  const heed::Tensor out = op.ours(x);
  const heed::Tensor g =
      ours({.shape = std::vector(out.shape().begin(), out.shape().end())}, 99, false);
  time_steps(state, [&] {
    for (heed::Tensor& input : x) input.zero_grad();
    op.ours(x).backward(g);
  });
}

void time_theirs(benchmark::State& state, const Operator& op, Index n, bool backward) {
  std::vector<torch::Tensor> x = made(op, n, backward, theirs);
  if (!backward) {
    time_steps(state, [&] { benchmark::DoNotOptimize(op.theirs(x)); });
    return;
  }
  const torch::Tensor g = theirs({.shape = op.theirs(x).sizes().vec()}, 99, false);
  time_steps(state, [&] {
    for (torch::Tensor& input : x) input.mutable_grad() = torch::Tensor();
    op.theirs(x).backward(g);
  });
}

// The least time of each benchmark over its repetitions, in ns.
class Best : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const auto [place, fresh] =
          ns.try_emplace(run.run_name.function_name, run.GetAdjustedRealTime());
      if (!fresh) place->second = std::min(place->second, run.GetAdjustedRealTime());
    }
  }
  std::map<std::string, double> ns;
};

struct Line {
  std::string name;
  Index n;
  double ours, libtorch;
  double ratio() const { return ours / libtorch; }
};

std::string label(Side side, const std::string& name, Index n) {
  return fmt::format("{} {} {}", side == Side::ours ? "ours" : "libtorch", name, n);
}

void enlist(const std::string& name, Index n, const Operator& op, bool backward) {
  const auto add = [&](Side side, auto time) {
    benchmark::RegisterBenchmark(label(side, name, n).c_str(),
                                 [=](benchmark::State& state) { time(state, op, n, backward); })
        ->UseRealTime()
        ->Unit(benchmark::kNanosecond);
  };
  add(Side::ours, time_ours);
  add(Side::libtorch, time_theirs);
}

void print(std::vector<Line> lines) {
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.ratio() > b.ratio(); });
  fmt::print("{:<36} {:>9} {:>12} {:>12} {:>7}\n", "operator", "elements", "ours, us",
             "libtorch, us", "ratio");
  for (const Line& line : lines) {
    fmt::print("{:<36} {:>9} {:>12.3f} {:>12.3f} {:>7.2f}\n", line.name, line.n, line.ours * 1e-3,
               line.libtorch * 1e-3, line.ratio());
  }
  const auto slow = std::count_if(lines.begin(), lines.end(),
                                  [](const Line& line) { return line.ratio() > kBound; });
  fmt::print("\n{} of {} above {}\n", slow, lines.size(), kBound);
}

int run(const std::vector<std::string>& only, int threads, int repeats) {
  heed::set_num_threads(threads);
  torch::set_num_threads(threads);
  std::vector<Line> lines;
  for (const auto& family : {elementwise(), reductions(), arrangements(), layers()}) {
    for (const Operator& op : family) {
      const auto wanted = [&](const std::string& part) {
        return op.name.find(part) != std::string::npos;
      };
      if (!only.empty() && std::none_of(only.begin(), only.end(), wanted)) continue;
      for (const Index n : kSizes) {
        if (n < op.smallest) continue;
        for (const bool backward : {false, true}) {
          if (backward && !op.backward) continue;
          const std::string name = op.name + (backward ? ", fwd+bwd" : "");
          enlist(name, n, op, backward);
          lines.push_back({name, n, 0, 0});
        }
      }
    }
  }
  // In turns, in random order: what else the machine does then falls on both sides.
  const std::string repetitions = fmt::format("--benchmark_repetitions={}", repeats);
  std::vector<std::string> flags = {"operators", repetitions, "--benchmark_min_time=0.01",
                                    "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> arguments;
  for (std::string& flag : flags) arguments.push_back(flag.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  Best best;
  benchmark::RunSpecifiedBenchmarks(&best);
  for (Line& line : lines) {
    line.ours = best.ns.at(label(Side::ours, line.name, line.n));
    line.libtorch = best.ns.at(label(Side::libtorch, line.name, line.n));
  }
  print(lines);
  return 0;
}

}  // namespace
}  // namespace bench::operators

int main(int argc, char** argv) try {
  std::vector<std::string> only;
  int threads = 2;
  int repeats = 5;
  CLI::App app("Single operators of heed and of libtorch.");
  app.add_option("--only", only, "operators whose names contain this, instead of all");
  app.add_option("--threads", threads, "threads of both")->check(CLI::Range(1, 1024));
  app.add_option("--repeats", repeats, "turns of each, the best counts")
      ->check(CLI::Range(1, 10000));
  CLI11_PARSE(app, argc, argv);
  return bench::operators::run(only, threads, repeats);
} catch (const std::exception& error) {
  fmt::print(stderr, "operators: {}\n", error.what());
  return 2;
}
