// The machine's own rate of copying, with as many threads as the rows have: the limit of the rows
// that are bound by memory.
#include "copy.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "protocol.h"

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  omp_set_num_threads(options.threads);

  constexpr std::size_t piece = std::size_t{4} << 20;
  const std::vector<char> from(bench::copy::kBytes, 1);
  std::vector<char> to(bench::copy::kBytes);
  return bench::serve(options, [&] {
#pragma omp parallel for schedule(static)
    for (std::size_t at = 0; at < bench::copy::kBytes; at += piece) {
      std::memcpy(to.data() + at, from.data() + at, piece);
    }
    return static_cast<double>(to[0]);
  });
}
