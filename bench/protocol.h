// What the measured programs share: `PROGRAM --row ROW --threads N --steps K` takes three steps (`--warm-up`),
// prints "ready", and then answers one line for each line on standard input, {"error"} to others:
//   run   K steps, timed:  {"ms": milliseconds a step, "loss", "gradients": of the last step}
//   blas  {"blas": which build and kernels of OpenBLAS the process has loaded}
//   profile  heed's programs only: {"table": where the time of K steps goes, ..}, see profile.h
//   quit  {"peak_mb": largest resident set of the process}, and ends
// so that bench.cpp can let two of them take turns.
#pragma once

#include <dlfcn.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

namespace bench {

struct Options {
  std::string row;
  int threads = 1;
  int steps = 1;
  int warm_up = 3;
};

inline Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--row") options.row = argv[i + 1];
    if (flag == "--threads") options.threads = std::atoi(argv[i + 1]);
    if (flag == "--steps") options.steps = std::atoi(argv[i + 1]);
    if (flag == "--warm-up") options.warm_up = std::atoi(argv[i + 1]);
  }
  return options;
}

/// As the loaded library says itself: "OpenBLAS 0.3.21 ... SkylakeX MAX_THREADS=64".
inline std::string blas_in_use() {
  const auto ask = [](const char* name) -> std::string {
    const auto answer = reinterpret_cast<char* (*)()>(dlsym(RTLD_DEFAULT, name));
    return answer ? answer() : "not OpenBLAS";
  };
  const std::string config = ask("openblas_get_config"), core = ask("openblas_get_corename");
  return config.find(core) == config.npos ? config + ", " + core : config;
}

/// What answers "profile", where there is something.
inline std::string (*profile)(int steps, const std::function<void()>& step) = nullptr;

/// `step()` does one step and returns its loss. Call it from main, after the threads are set. A row
/// without an optimizer shows by `gradients()`, a number made of them, that they are right.
template <class Step, class Gradients>
int serve(const Options& options, Step step, Gradients gradients) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < options.warm_up; ++i) step();
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "run") {
      double loss = 0;
      const auto begin = Clock::now();
      for (int i = 0; i < options.steps; ++i) loss = step();
      const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
      std::printf("{\"ms\": %.6f, \"loss\": %.9g, \"gradients\": %.9g}\n",
                  took.count() / options.steps, loss, gradients());
    } else if (line == "profile" && profile) {
      std::puts(profile(options.steps, [&] { step(); }).c_str());
    } else if (line == "blas") {
      std::printf("{\"blas\": \"%s\"}\n", blas_in_use().c_str());
    } else if (line == "quit") {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      std::printf("{\"peak_mb\": %.1f}\n", static_cast<double>(usage.ru_maxrss) / 1024);
      return 0;
    } else {
      std::printf("{\"error\": \"no answer to %s\"}\n", line.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

template <class Step>
int serve(const Options& options, Step step) {
  return serve(options, step, [] { return 0.0; });
}

}  // namespace bench
