// What the dynamic linker really found: the table of alternatives may point at another build.
#include <cblas.h>
#include <gtest/gtest.h>

namespace {

TEST(Blas, RunsOnTheThreadsOfOpenMP) { EXPECT_EQ(openblas_get_parallel(), OPENBLAS_OPENMP); }

}  // namespace
