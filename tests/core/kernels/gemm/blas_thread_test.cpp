#include "../../../../core/kernels/gemm/blas_thread.h"

#include <cblas.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace heed::kernels {
namespace {

// Where OpenBLAS is built on OpenMP, which the caller may use, too.
TEST(BlasThread, TheCallersOwnOpenMpKeepsItsThreads) {
  if (openblas_get_parallel() != OPENBLAS_OPENMP) GTEST_SKIP() << "OpenBLAS without OpenMP";
  const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  ASSERT_TRUE(threads && set);
  const int before = threads();
  for (const int own : {1, 2, 3, 5}) {
    set(own);
    {
      const OneBlasThread scope;
      EXPECT_EQ(threads(), 1);
      {
        const OneBlasThread inner;
        EXPECT_EQ(threads(), 1);
      }
      EXPECT_EQ(threads(), 1);
    }
    EXPECT_EQ(threads(), own);
  }
  set(before);
}

}  // namespace
}  // namespace heed::kernels
