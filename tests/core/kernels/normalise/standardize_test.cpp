#include "../../../../core/kernels/normalise/standardize.h"

#include <gtest/gtest.h>

#include <cmath>

#include <limits>

#include "../../../../core/generator.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

// Every length around some widths of a vector, far from 0, where squares would cancel.
TEST(Standardize, AnyLength) {
  constexpr double kEps = 1e-3;
  Generator generator(7);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double room = dtype == DType::f32 ? 1e-4 : 1e-12;
    for (Index n = 1; n < 140; ++n) {
      const Array x = generator.normal({3, n}, 30, 2, dtype);
      for (const bool centred : {true, false}) {
        const Standardized out = standardize(
            x, Array(), Array(), {.rows = 3, .length = n, .row_step = n}, kEps, centred);
        const auto from = x.to(DType::f64).to_vector<double>();
        const auto to = out.y.to(DType::f64).to_vector<double>();
        for (Index row = 0; row < 3; ++row) {
          const auto at = [&](Index i) { return static_cast<std::size_t>(row * n + i); };
          const double count = static_cast<double>(n);
          double mean = 0, variance = 0;
          for (Index i = 0; centred && i < n; ++i) mean += from[at(i)] / count;
          for (Index i = 0; i < n; ++i) variance += std::pow(from[at(i)] - mean, 2) / count;
          ASSERT_NEAR(out.mean.select(0, row).item(), mean, 10 * room) << n;
          ASSERT_NEAR(out.variance.select(0, row).item() / (variance + kEps),
                      variance / (variance + kEps), room)
              << n;
          for (Index i = 0; i < n; ++i) {
            ASSERT_NEAR(to[at(i)], (from[at(i)] - mean) / std::sqrt(variance + kEps), 10 * room)
                << n;
          }
        }
      }
    }
  }
}

std::vector<double> numbers(const Array& x) { return x.to(DType::f64).to_vector<double>(); }

// Rows of one segment and of several: nothing is left of numbers that are all the same.
TEST(Standardize, OfEqualNumbersFarFromZeroIsZero) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      for (const double each : {16383.998046875, 0.1, -1234567.8, 3e38}) {
        for (const Index n : {1, 7, 512, 1021, 4099}) {
          const Array x = Array::full({6, n}, each, dtype);
          const RowLayout whole{.rows = 6, .length = n, .row_step = n};
          const RowLayout parts{
              .rows = 2, .segments = 3, .length = n, .row_step = 3 * n, .segment_step = n};
          for (const RowLayout& layout : {whole, parts}) {
            const Standardized out = standardize(x, Array(), Array(), layout, 1e-5, true);
            const auto rows = static_cast<std::size_t>(layout.rows);
            EXPECT_EQ(numbers(out.mean), std::vector<double>(rows, numbers(x)[0])) << n;
            EXPECT_EQ(numbers(out.variance), std::vector<double>(rows, 0)) << each << ", " << n;
            EXPECT_EQ(numbers(out.y), std::vector<double>(static_cast<std::size_t>(6 * n), 0));
          }
        }
      }
    }
  });
}

TEST(Standardize, OfTheLargestNumbersAndOfNone) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr Index kLength = 1021;
  const RowLayout layout{.rows = 2, .length = kLength, .row_step = kLength};
  Array x = Array::full({2, kLength}, 8e18, DType::f32);  // in turns, the squares too large for f32
  for (Index i = 0; i < 2 * kLength; i += 2) x.mutable_data<float>()[i] = -8e18f;
  for (const double y : numbers(standardize(x, Array(), Array(), layout, 1e-5, true).y)) {
    EXPECT_NEAR(std::abs(y), 1, 0.02);
  }
  for (const double odd : {kInfinity, -kInfinity, std::nan("")}) {
    for (const Index place : {0, 41}) {
      x = Array::full({2, kLength}, 3, DType::f32);
      x.mutable_data<float>()[place] = static_cast<float>(odd);
      const Standardized out = standardize(x, Array(), Array(), layout, 1e-5, true);
      EXPECT_EQ(std::isnan(out.mean.select(0, 0).item()), std::isnan(odd));
      EXPECT_EQ(std::isinf(out.mean.select(0, 0).item()), std::isinf(odd));
      for (const double y : numbers(out.y.select(0, 0))) EXPECT_TRUE(std::isnan(y));
      EXPECT_EQ(numbers(out.y.select(0, 1)), std::vector<double>(kLength, 0));
    }
  }
}

// Not centred the mean stays 0, also where no square can be told any more.
TEST(Standardize, AboutZeroHasNoMean) {
  const RowLayout layout{.rows = 2, .length = 11, .row_step = 11};
  for (const double each : {3.0, 1e200}) {
    const Array x = Array::full({2, 11}, each, DType::f64);
    const Standardized out = standardize(x, Array(), Array(), layout, 1e-5, false);
    EXPECT_EQ(numbers(out.mean), (std::vector<double>{0, 0}));
    EXPECT_EQ(numbers(out.variance), std::vector<double>(2, each * each));
  }
}

}  // namespace
}  // namespace heed::kernels
