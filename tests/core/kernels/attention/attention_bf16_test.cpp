#include "../../../../core/kernels/attention/attention_bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../../core/array.h"
#include "../../../../core/bfloat16.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/attention/attention_plan.h"
#include "../../../../core/precision.h"
#include "../../../../core/simd.h"

namespace heed::kernels {
namespace {

double rounded(float x) { return static_cast<double>(static_cast<float>(BFloat16(x))); }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class AttentionBf16 : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_bf16_dot()) GTEST_SKIP() << "this processor has no dot products of bf16";
  }
  std::vector<float> drawn(Index count) {
    const Array values = generator_.normal(Shape{count}, 0, 1, DType::f32);
    return {values.data<float>(), values.data<float>() + count};
  }

 private:
  Generator generator_{3};
};

struct Case {
  Index m, n, k;
};

// Around and beyond what is laid out at once and what registers hold; n as the kernels give it.
constexpr Case kCases[] = {{1, 16, 1},    {2, 32, 2},    {5, 48, 31},    {11, 64, 67},
                           {13, 80, 127}, {47, 96, 128}, {48, 112, 129}, {53, 128, 257},
                           {97, 176, 3},  {240, 64, 64}};

TEST_F(AttentionBf16, ProductsAreThoseOfRoundedNumbers) {
  constexpr Index kMore = 5;  // from row to row, which must stay as it is
  for (const Case& size : kCases) {
    for (const bool turned : {false, true}) {
      for (const bool add : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << size.m << ' ' << size.n << ' ' << size.k << ' ' << turned << ' ' << add);
        const Index a_step = (turned ? size.m : size.k) + kMore, b_step = size.n + kMore,
                    c_step = size.n + kMore;
        const auto a = drawn(a_step * (turned ? size.k : size.m)), b = drawn(b_step * size.k);
        std::vector<float> c(at(c_step * size.m), 7);
        const Index a_row = turned ? 1 : a_step, a_column = turned ? a_step : 1;
        simd::multiply_bf16(size.m, size.n, size.k, a.data(), a_row, a_column, b.data(), b_step,
                            add, c.data(), c_step);
        double worst = 0;
        for (Index i = 0; i < size.m; ++i) {
          for (Index j = 0; j < c_step; ++j) {
            double sum = j >= size.n || add ? 7 : 0;
            for (Index p = 0; p < size.k && j < size.n; ++p) {
              sum += rounded(a[at(i * a_row + p * a_column)]) * rounded(b[at(p * b_step + j)]);
            }
            worst = std::max(worst, std::abs(static_cast<double>(c[at(i * c_step + j)]) - sum));
          }
        }
        EXPECT_LT(worst, 4e-6 * std::sqrt(static_cast<double>(size.k)));
      }
    }
  }
}

TEST_F(AttentionBf16, ARowHasTheSameBitsInAnyCompany) {
  const Index m = 101, n = 64, k = 131;
  const auto a = drawn(m * k), b = drawn(k * n);
  std::vector<float> all(at(m * n));
  simd::multiply_bf16(m, n, k, a.data(), k, 1, b.data(), n, false, all.data(), n);
  for (Index i = 0; i < m; ++i) {
    std::vector<float> own(at(n));
    simd::multiply_bf16(1, n, k, a.data() + i * k, k, 1, b.data(), n, false, own.data(), n);
    for (Index j = 0; j < n; ++j) ASSERT_EQ(own[at(j)], all[at(i * n + j)]) << i << ' ' << j;
  }
}

// What is read is what counts: not a number stands around it.
TEST_F(AttentionBf16, NothingBesideTheOperandsCounts) {
  constexpr Index m = 7, n = 16, k = 33, step = 40;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const bool turned : {false, true}) {
    std::vector<float> a(at(step * step), kNaN), b(at(step * step), kNaN), c(at(m * n));
    for (Index p = 0; p < k; ++p) {
      for (Index i = 0; i < m; ++i) a[at(turned ? p * step + i : i * step + p)] = 1;
      for (Index j = 0; j < n; ++j) b[at(p * step + j)] = 2;
    }
    simd::multiply_bf16(m, n, k, a.data(), turned ? 1 : step, turned ? step : 1, b.data(), step,
                        false, c.data(), n);
    for (const float each : c) EXPECT_EQ(each, 66);
  }
}

bool in_bf16(Index Q, Index K, Index D, DType dtype = DType::f32, bool additive = false) {
  const Array q = Array::zeros({2, Q, D}, dtype), k = Array::zeros({2, K, D}, dtype);
  const Array vector = additive ? Array::zeros({D}, dtype) : Array();
  return AttentionPlan("test", {q, k, vector}, Array::zeros({2, K, 3}, dtype), {}).in_bf16;
}

TEST_F(AttentionBf16, IsOfFloatsInItsScopeWhereItPays) {
  EXPECT_FALSE(in_bf16(67, 71, 37));
  const PrecisionScope scope(Precision::bf16);
  EXPECT_TRUE(in_bf16(67, 71, 37));
  EXPECT_TRUE(in_bf16(32, 32, 32));
  EXPECT_FALSE(in_bf16(31, 71, 37));
  EXPECT_FALSE(in_bf16(67, 31, 37));
  EXPECT_FALSE(in_bf16(67, 71, 31));
  EXPECT_FALSE(in_bf16(67, 71, 37, DType::f64));
  EXPECT_FALSE(in_bf16(67, 71, 37, DType::f32, true));
  const Simd most = heed::simd();
  hold_simd(Simd::avx2);
  EXPECT_FALSE(in_bf16(67, 71, 37));
  hold_simd(most);
}

}  // namespace
}  // namespace heed::kernels
