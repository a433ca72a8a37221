// The machine's own rate: one product of large square matrices, by OpenBLAS with its own threads.
// It stands for the limit in every row.
#include "sgemm.h"

#include <cblas.h>
#include <omp.h>

#include <vector>

#include "protocol.h"
#include "workload.h"

int main(int argc, char** argv) {
  const bench::Options options = bench::parse(argc, argv);
  omp_set_num_threads(options.threads);

  constexpr int n = bench::sgemm::kSize;
  constexpr std::size_t count = std::size_t{n} * n;
  std::vector<float> a(count), b(count), c(count);
  bench::fill(a.data(), count, 1, 1.0f);
  bench::fill(b.data(), count, 2, 1.0f);
  return bench::serve(options, [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a.data(), n, b.data(), n,
                0.0f, c.data(), n);
    return static_cast<double>(c[0]);
  });
}
