#include "../../../../core/kernels/gemm/gemm_bf16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "../../../../core/array.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/gemm/gemm.h"
#include "../../../../core/kernels/gemm/round_bf16_simd.h"
#include "../../../../core/parallel.h"
#include "../../../../core/precision.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

struct Case {
  Index m, n, k;
};

// Large enough for panels, around and beyond them; long sums, odd ones, sums of several slices.
constexpr Case kCases[] = {{113, 131, 389}, {15, 1031, 211},  {127, 33, 769},   {1201, 29, 97},
                           {1, 4099, 523},  {229, 1, 9001},   {83, 577, 47},    {337, 512, 385},
                           {31, 37, 20011}, {67, 6007, 1543}, {2003, 71, 1537}, {337, 512, 1543}};

// The nearest bf16, ties to even.
float rounded(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7FFFu + (bits >> 16 & 1u)) & 0xFFFF0000u);
}

std::vector<float> drawn(Index count, Generator& generator) {
  const Array values = generator.normal(Shape{count}, 0, 1, DType::f32);
  return {values.data<float>(), values.data<float>() + count};
}

// a [m, k] or its transpose, b [k, n] or its transpose.
struct Product {
  Case size;
  bool turned_a, turned_b;
  std::vector<float> a, b;

  Product(Case size_, int way, Generator& generator)
      : size(size_), turned_a((way & 1) != 0), turned_b((way & 2) != 0) {
    a = drawn(size.m * size.k, generator);
    b = drawn(size.k * size.n, generator);
    // Nothing behind the last line may be read.
    a.insert(a.end(), static_cast<std::size_t>(size.m), std::numeric_limits<float>::quiet_NaN());
    b.insert(b.end(), static_cast<std::size_t>(size.n), std::numeric_limits<float>::quiet_NaN());
  }
  Matrix<const float> left() const { return {a.data(), turned_a ? size.m : size.k, turned_a}; }
  Matrix<const float> right() const { return {b.data(), turned_b ? size.k : size.n, turned_b}; }
  float a_at(Index i, Index p) const {
    return a[static_cast<std::size_t>(turned_a ? p * size.m + i : i * size.k + p)];
  }
  float b_at(Index p, Index j) const {
    return b[static_cast<std::size_t>(turned_b ? j * size.k + p : p * size.n + j)];
  }
  std::vector<float> operator()(bool add, const float* bias) const {
    std::vector<float> c(static_cast<std::size_t>(size.m * size.n), 7);
    const PrecisionScope scope(Precision::bf16);
    gemm(size.m, size.n, size.k, left(), right(), add, c.data(), size.n, bias);
    return c;
  }
};

// Of what was rounded, within f32's error; of what was not, within bf16's.
TEST(GemmBf16, ProductsAreThoseOfRoundedNumbers) {
  under_every_simd([] {
    if (heed::simd() == Simd::plain) return;  // see IsOfFloatsWithoutVectors
    Generator generator(3);
    for (const Case& size : kCases) {
      for (int way = 0; way < 4; ++way) {
        const Product product(size, way, generator);
        const bool add = way == 1 || way == 2;
        std::vector<float> bias(static_cast<std::size_t>(size.n));
        for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = static_cast<float>(j % 11);
        const auto c = product(add, way < 2 ? bias.data() : nullptr);
        double worst = 0, worst_of_all = 0;
        const Index skip = std::max<Index>(1, size.m * size.n / 211);
        for (Index at = 0; at < size.m * size.n; at += skip) {
          const Index i = at / size.n, j = at % size.n;
          double sum = (add ? 7 : 0) + (way < 2 ? static_cast<double>(j % 11) : 0);
          double exact = sum, sizes = 1;
          for (Index p = 0; p < size.k; ++p) {
            const float x = product.a_at(i, p), y = product.b_at(p, j);
            sum += static_cast<double>(rounded(x)) * static_cast<double>(rounded(y));
            exact += static_cast<double>(x) * static_cast<double>(y);
            sizes += std::abs(static_cast<double>(x) * static_cast<double>(y));
          }
          const double found = static_cast<double>(c[static_cast<std::size_t>(at)]);
          worst = std::max(worst, std::abs(found - sum));
          worst_of_all = std::max(worst_of_all, std::abs(found - exact) / sizes);
        }
        EXPECT_LT(worst, 2e-5 * std::sqrt(static_cast<double>(size.k)))
            << size.m << ' ' << size.n << ' ' << size.k << " way " << way;
        EXPECT_LT(worst_of_all, 0x1p-8) << size.m << ' ' << way;
        EXPECT_GT(worst_of_all, 1e-6) << size.m << ' ' << way;  // nothing was left as it is
      }
    }
  });
}

TEST(GemmBf16, SumsOfOneAndTwoNumbersAreOfWhatWasRounded) {
  under_every_simd([] {
    if (heed::simd() == Simd::plain) return;
    Generator generator(17);
    for (const Case& size : {Case{641, 631, 1}, Case{331, 613, 2}}) {
      for (const int way : {2, 3}) {
        const Product product(size, way, generator);
        const auto c = product(false, nullptr);
        for (Index at = 0; at < size.m * size.n; at += 7) {
          const Index i = at / size.n, j = at % size.n;
          float sum = 0;
          for (Index p = 0; p < size.k; ++p) {
            sum += rounded(product.a_at(i, p)) * rounded(product.b_at(p, j));
          }
          ASSERT_NEAR(c[static_cast<std::size_t>(at)], sum, 1e-6f * (1 + std::abs(sum)))
              << size.k << ": " << i << ' ' << j;
        }
      }
    }
  });
}

TEST(GemmBf16, IsOfFloatsWithoutVectorsAndOutsideOfItsScope) {
  Generator generator(5);
  const Product product({83, 577, 97}, 2, generator);
  std::vector<float> plain(83 * 577);
  gemm(83, 577, 97, product.left(), product.right(), false, plain.data(), 577);
  if (heed::simd() != Simd::plain) {
    EXPECT_NE(plain, product(false, nullptr));
  }
  EXPECT_EQ(precision(), Precision::f32);
  under_every_simd([&] {
    if (heed::simd() != Simd::plain) return;
    gemm(83, 577, 97, product.left(), product.right(), false, plain.data(), 577);
    EXPECT_EQ(plain, product(false, nullptr));
  });
}

TEST(GemmBf16, GivesTheSameBitsForAnyNumberOfThreadsAndRows) {
  Generator generator(7);
  const int threads = num_threads();
  for (const Case& size : kCases) {
    const Product product(size, 2, generator);
    set_num_threads(1);
    const auto one = product(false, nullptr);
    for (const int count : {2, 3, 4}) {
      set_num_threads(count);
      EXPECT_EQ(product(false, nullptr), one) << size.m << ' ' << count;
    }
  }
  set_num_threads(threads);
}

TEST(GemmBf16, SumsOfRowsAreThoseOfWhatWasRounded) {
  under_every_simd([] {
    if (heed::simd() == Simd::plain) return;
    Generator generator(11);
    for (const Case& size : {Case{127, 131, 389}, Case{31, 37, 20011}, Case{29, 1201, 1543}}) {
      for (int way = 0; way < 2; ++way) {
        const Product product(size, way, generator);
        std::vector<float> c(static_cast<std::size_t>(size.m * size.n));
        std::vector<double> sums(static_cast<std::size_t>(size.m), 1e9);
        const PrecisionScope scope(Precision::bf16);
        ASSERT_TRUE(gemm_and_sums(size.m, size.n, size.k, product.left(), product.right(), c.data(),
                                  size.n, sums.data()));
        for (Index i = 0; i < size.m; ++i) {
          double wanted = 0;
          for (Index p = 0; p < size.k; ++p) {
            wanted += static_cast<double>(rounded(product.a_at(i, p)));
          }
          ASSERT_NEAR(sums[static_cast<std::size_t>(i)], wanted, 2e-3) << size.m << ' ' << i;
        }
      }
    }
  });
}

TEST(GemmBf16, WhatIsNotFiniteStaysSo) {
  constexpr Index m = 31, n = 67, k = 1031;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  under_every_simd([&] {
    if (heed::simd() == Simd::plain) return;
    Generator generator(13);
    Product product({m, n, k}, 0, generator);
    product.a[3 * k + 1030] = std::numeric_limits<float>::quiet_NaN();
    product.a[5 * k + 517] = kInfinity;
    product.a[7 * k + 2] = std::numeric_limits<float>::max();  // rounds up, beyond the largest
    const auto c = product(false, nullptr);
    for (Index j = 0; j < n; ++j) {
      EXPECT_TRUE(std::isnan(c[static_cast<std::size_t>(3 * n + j)]));
      EXPECT_EQ(std::abs(c[static_cast<std::size_t>(5 * n + j)]), kInfinity);
      EXPECT_EQ(std::abs(c[static_cast<std::size_t>(7 * n + j)]), kInfinity);
      EXPECT_TRUE(std::isfinite(c[static_cast<std::size_t>(8 * n + j)]));
    }
  });
}

TEST(RoundToBf16, IsToTheNearestAndEven) {
  under_every_simd([] {
    // 1 + 2^-8 and 1 + 3 2^-8 are ties; a NaN whose bits above are zero stays one.
    const float low_nan = std::bit_cast<float>(0x7F800001u);
    std::vector<float> x = {1.00390625f, 1.01171875f,  1.00390637f, -1.00390625f, 0.0f,
                            -0.0f,       3.40282e+38f, low_nan,     -1e-40f};
    for (int i = 0; i < 23; ++i) x.push_back(static_cast<float>(i) * 1.37f);
    std::vector<float> y = x;
    simd::round_to_bf16(y.data(), static_cast<Index>(y.size()));
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 1.015625f);
    EXPECT_EQ(y[2], 1.0078125f);
    EXPECT_EQ(y[3], -1.0f);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(y[5]), 0x80000000u);
    EXPECT_TRUE(std::isinf(y[6]));
    EXPECT_TRUE(std::isnan(y[7]));
    for (std::size_t i = 8; i < x.size(); ++i) EXPECT_EQ(y[i], rounded(x[i])) << i;
  });
}

}  // namespace
}  // namespace heed::kernels
