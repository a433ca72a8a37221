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

}  // namespace
}  // namespace heed
