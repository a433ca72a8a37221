#include "machine.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "runner.h"

namespace bench::machine {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "a processor without a name";
}

}  // namespace

void print(int threads, int repeats) {
  Runner limit("fma", "fma", 1, threads);
  for (int i = 0; i < repeats; ++i) limit.run();
  const double operations = limit.first()[1];
  fmt::print("{}: {:.0f} GFLOP/s of multiply-adds, threads: {}\n", processor(),
             operations / limit.ms() * 1e-6, threads);
  fmt::print("heed's BLAS: {}\n", Runner("heed_overhead", "chain", 1, threads).blas());
  fmt::print("libtorch's:  {}\n", Runner("libtorch_overhead", "chain", 1, threads).blas());
  std::fflush(stdout);
}

}  // namespace bench::machine
