#include "machine.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "runner.h"

namespace bench::machine {
namespace {

constexpr std::size_t kFreshBytes = std::size_t{256} << 20;

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "a processor without a name";
}

// Milliseconds to write a block that comes from the system, as malloc's large ones do each time:
// the least of three.
double fresh_ms() {
  using Clock = std::chrono::steady_clock;
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = Clock::now();
    void* block =
        mmap(nullptr, kFreshBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    std::memset(block, 1, kFreshBytes);
    least =
        std::min(least, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    munmap(block, kFreshBytes);
  }
  return least;
}

}  // namespace

void print(int threads, int repeats) {
  Runner limit("fma", "fma", 1, threads);
  for (int i = 0; i < repeats; ++i) limit.run();
  const double operations = limit.first()[1];
  fmt::print("{}: {:.0f} GFLOP/s of multiply-adds, threads: {}\n", processor(),
             operations / limit.ms() * 1e-6, threads);
  fmt::print("{} MB from the system, written once: {:.0f} ms; malloc {}\n", kFreshBytes >> 20,
             fresh_ms(), std::getenv("GLIBC_TUNABLES") == nullptr ? "as it comes" : "keeps memory");
  fmt::print("heed's BLAS: {}\n", Runner("heed_overhead", "chain", 1, threads).blas());
  fmt::print("libtorch's:  {}\n", Runner("libtorch_overhead", "chain", 1, threads).blas());
  std::fflush(stdout);
}

}  // namespace bench::machine
