#include "../../core/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/parallel.h"

namespace heed {
namespace {

TEST(Version, IsNumbers) {
  const VersionNumbers numbers = version_numbers();
  EXPECT_EQ(std::to_string(numbers.major) + "." + std::to_string(numbers.minor) + "." +
                std::to_string(numbers.patch),
            version());
  EXPECT_LT((VersionNumbers{0, 1, 9}), numbers);
  EXPECT_GT((VersionNumbers{99, 0, 0}), numbers);
}

TEST(BuildInfo, SaysWhatRuns) {
  const BuildInfo info = build_info();
  EXPECT_EQ(info.version, version());
  EXPECT_THAT(info.compiler, testing::MatchesRegex("(g|clang)\\+\\+ [0-9]+\\.[0-9.]+.*"));
  EXPECT_FALSE(info.build_type.empty());
  EXPECT_EQ(info.simd, simd());
  EXPECT_EQ(info.threads, num_threads());
  EXPECT_THAT(info.blas, testing::MatchesRegex("OpenBLAS [0-9.]+"));
  EXPECT_FALSE(info.blas_kernel.empty());
  EXPECT_THAT(info.text(), testing::StartsWith("heed " + info.version + ", " + info.compiler));
  EXPECT_THAT(info.text(), testing::HasSubstr(std::string("\nkernels ") + name_of(simd()) +
                                              ", products OpenBLAS "));
}

TEST(BuildInfo, FollowsTheThreads) {
  const int before = num_threads();
  set_num_threads(3);
  EXPECT_EQ(build_info().threads, 3);
  set_num_threads(1);
  EXPECT_THAT(build_info().text(), testing::EndsWith(", 1 thread"));
  set_num_threads(before);
}

TEST(BuildInfo, IsTwoLines) {
  BuildInfo info;
  EXPECT_FALSE(info.shared);
  EXPECT_EQ(info.threads, 1);
  EXPECT_EQ(info.simd, Simd::plain);
  info.version = "1.2.3";
  info.compiler = "g++ 4";
  info.build_type = "Release";
  info.blas = "OpenBLAS 5";
  info.blas_kernel = "Zen";
  EXPECT_EQ(
      info.text(),
      "heed 1.2.3, g++ 4, Release, static\nkernels plain, products OpenBLAS 5 (Zen), 1 thread");
  info.shared = true;
  info.options = {"mpi", "sound"};
  info.threads = 7;
  EXPECT_EQ(info.text(),
            "heed 1.2.3, g++ 4, Release, shared, with mpi, sound\n"
            "kernels plain, products OpenBLAS 5 (Zen), 7 threads");
}

TEST(Version, NumbersAreComparedInTheirOrder) {
  EXPECT_LT((VersionNumbers{1, 9, 9}), (VersionNumbers{2, 0, 0}));
  EXPECT_LT((VersionNumbers{1, 2, 9}), (VersionNumbers{1, 3, 0}));
  EXPECT_LT((VersionNumbers{1, 2, 3}), (VersionNumbers{1, 2, 4}));
  EXPECT_EQ((VersionNumbers{1, 2, 3}), (VersionNumbers{1, 2, 3}));
}

}  // namespace
}  // namespace heed
