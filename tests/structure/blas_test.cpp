// Whichever build of OpenBLAS the dynamic linker finds, products run on heed's own threads.
#include <cblas.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "../../core/kernels/gemm/gemm.h"
#include "../../core/parallel.h"

namespace heed::kernels {
namespace {

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

// By OpenBLAS, and large enough for it to share out.
void multiply() {
  constexpr Index n = 509;
  const std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f);
  std::vector<float> c(n * n);
  gemm_here(n, n, n, Matrix<const float>{a.data(), n}, Matrix<const float>{b.data(), n}, false,
            c.data(), n);
  EXPECT_EQ(c[n + 1], n * 0.125f);
}

// A user's threads; each would have a team of its own where OpenBLAS shares work by OpenMP.
TEST(Blas, StartsNoThreads) {
  std::thread([] { multiply(); }).join();  // a build with threads of its own has them by now
  const std::ptrdiff_t before = threads_of_this_process();
  multiply();
  EXPECT_LE(threads_of_this_process(), before);
  std::ptrdiff_t inside = 0;
  std::thread([&] {
    multiply();
    inside = threads_of_this_process();
  }).join();
  EXPECT_LE(inside, before + 1);
  if (openblas_get_parallel() == OPENBLAS_THREAD) {
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
}

TEST(Blas, StartsNoThreadsFromThoseOfThePool) {
  multiply();
  const int threads = num_threads();
  const std::ptrdiff_t before = threads_of_this_process();
  set_num_threads(3);
  parallel_for(31, 1, [](Index, Index) { multiply(); });
  EXPECT_LE(threads_of_this_process(), before + 2);
  set_num_threads(threads);
}

}  // namespace
}  // namespace heed::kernels
