#include "../../core/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../core/generator.h"
#include "../../core/kernels/gemm/gemm_simd.h"
#include "../../core/kernels/reduce/reduce.h"
#include "../support/every_simd.h"

namespace heed {
namespace {

TEST(Simd, HasNames) {
  for (const Simd each : {Simd::plain, Simd::avx2, Simd::avx512}) {
    EXPECT_EQ(simd_named(name_of(each)), each);
  }
  EXPECT_EQ(simd_named("AVX2"), std::nullopt);
  EXPECT_EQ(simd_named(""), std::nullopt);
}

// Each is used in turn, gives the same sum but for its last digits, and the widest comes back.
TEST(Simd, KernelsAreHeldToLess) {
  const Simd before = simd();
  const Array x = Generator(5).normal({1009}, 0, 1, DType::f64);
  const double sum = kernels::reduce(kernels::Reduce::sum, x, {}, false).item();
  std::vector<Simd> seen;
  std::vector<Index> panels;  // how wide they are says what runs
  under_every_simd([&] {
    seen.push_back(simd());
    panels.push_back(kernels::simd::gemm<double>().panels.columns);
    EXPECT_EQ(seen.back(), simd());  // asking changes nothing
    EXPECT_EQ(panels.back(), kernels::simd::gemm<double>().panels.columns);
    EXPECT_NEAR(kernels::reduce(kernels::Reduce::sum, x, {}, false).item(), sum, 1e-12);
  });
  EXPECT_EQ(seen.front(), Simd::plain);
  EXPECT_EQ(seen.back(), before);
  EXPECT_TRUE(std::is_sorted(panels.begin(), panels.end()));
  EXPECT_EQ(panels.front() < panels.back(), before != Simd::plain);
  EXPECT_EQ(simd(), before);
}

class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* was = std::getenv("HEED_SIMD")) before_ = was;
    setenv("HEED_SIMD", value, 1);
  }
  ~Environment() {
    before_.empty() ? unsetenv("HEED_SIMD") : setenv("HEED_SIMD", before_.c_str(), 1);
    hold_simd(simd_);
  }

 private:
  std::string before_;
  Simd simd_ = simd();
};

TEST(Simd, TheEnvironmentSaysWhich) {
  const Environment environment("plain");
  hold_simd_to_environment();
  EXPECT_EQ(simd(), Simd::plain);
}

TEST(Simd, AnotherWordInTheEnvironmentIsNamedAndLeftAside) {
  const Environment environment("sse9");
  const Simd before = simd();
  ::testing::internal::CaptureStderr();
  hold_simd_to_environment();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "heed: HEED_SIMD is none of avx512, avx2, plain: left aside\n");
  EXPECT_EQ(simd(), before);
}

}  // namespace
}  // namespace heed
