#include "../../../../core/kernels/normalise/standardize_columns.h"

#include <gtest/gtest.h>

#include <cmath>

#include <limits>

#include "../../../../core/generator.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

std::vector<double> numbers(const Array& x) { return x.to(DType::f64).to_vector<double>(); }

// Far from 0, where squares would cancel, in one piece of rows and in several.
TEST(StandardizeColumns, LikeLoops) {
  constexpr double kEps = 1e-3;
  Generator generator(3);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double room = dtype == DType::f32 ? 2e-3 : 1e-9;
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{2, 1}, {17, 5}, {20011, 13}, {67, 1031}, {1301, 131}}) {
      const Array x = generator.normal({rows, columns}, 300, 2, dtype),
                  g = generator.normal({rows, columns}, 0, 1, dtype),
                  weight = generator.normal({columns}, 1, 1, dtype),
                  bias = generator.normal({columns}, 0, 1, dtype);
      const Standardized out = standardize_columns(x, weight, bias, columns, kEps);
      const StandardizeGradients grads =
          standardize_columns_grad(g, x, weight, out.mean, out.variance, kEps);
      const auto from = numbers(x), to = numbers(out.y), from_g = numbers(g), gx = numbers(grads.x);
      const double n = static_cast<double>(rows);
      for (Index c = 0; c < columns; ++c) {
        const auto at = [c, width = columns](Index r) {
          return static_cast<std::size_t>(r * width + c);
        };
        const double w = weight.select(0, c).item(), b = bias.select(0, c).item();
        double mean = 0, variance = 0, sum = 0, product = 0;
        for (Index r = 0; r < rows; ++r) mean += from[at(r)] / n;
        for (Index r = 0; r < rows; ++r) variance += std::pow(from[at(r)] - mean, 2) / n;
        const double scale = 1 / std::sqrt(variance + kEps);
        const auto z = [&](Index r) { return (from[at(r)] - mean) * scale; };
        for (Index r = 0; r < rows; ++r) {
          sum += from_g[at(r)];
          product += from_g[at(r)] * z(r);
        }
        const double size = 1 + std::abs(w) * scale;
        ASSERT_NEAR(out.mean.select(0, c).item(), mean, room);
        ASSERT_NEAR(out.variance.select(0, c).item(), variance, room * (1 + variance));
        ASSERT_NEAR(grads.bias.select(0, c).item(), sum, room * std::sqrt(n));
        ASSERT_NEAR(grads.weight.select(0, c).item(), product, room * std::sqrt(n) * size);
        for (Index r = 0; r < rows; ++r) {
          ASSERT_NEAR(to[at(r)], z(r) * w + b, room * size) << rows << " " << columns;
          ASSERT_NEAR(gx[at(r)], scale * w * (from_g[at(r)] - sum / n - z(r) * product / n),
                      room * size * size)
              << rows << " " << columns;
        }
      }
    }
  }
}

TEST(StandardizeColumns, WithoutWeightOrRows) {
  const Array x = Generator(5).normal({11, 7}, 0, 1, DType::f64);
  const Array one = Array::full({7}, 1, DType::f64), zero = Array::zeros({7}, DType::f64);
  EXPECT_EQ(numbers(standardize_columns(x, Array(), Array(), 7, 0.1).y),
            numbers(standardize_columns(x, one, zero, 7, 0.1).y));
  const Standardized none = standardize_columns(x.slice(0, 0, 0), one, zero, 7, 0.1);
  EXPECT_EQ(none.y.numel(), 0);
  EXPECT_EQ(numbers(none.mean), std::vector<double>(7, 0));
}

// In one piece of rows and in several: nothing is left of columns of one number.
TEST(StandardizeColumns, OfEqualNumbersFarFromZeroAreZero) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      for (const double each : {16383.998046875, 0.1, -1234567.8, 3e38}) {
        for (const auto& [rows, columns] :
             {std::pair<Index, Index>{2, 1}, {512, 3}, {20011, 13}, {67, 1031}, {1301, 131}}) {
          const Array x = Array::full({rows, columns}, each, dtype);
          const Standardized out = standardize_columns(x, Array(), Array(), columns, 1e-5);
          const auto size = static_cast<std::size_t>(columns);
          EXPECT_EQ(numbers(out.mean), std::vector<double>(size, numbers(x)[0])) << rows;
          EXPECT_EQ(numbers(out.variance), std::vector<double>(size, 0)) << each << ", " << rows;
          EXPECT_EQ(numbers(out.y), std::vector<double>(numbers(x).size(), 0)) << rows;
        }
      }
    }
  });
}

// A column has its bits whatever stands beside it: one far from 0, or what is no number.
TEST(StandardizeColumns, StandByThemselves) {
  constexpr Index kRows = 9001, kColumns = 37;
  const Array plain = Generator(7).normal({kRows, kColumns}, 0.5, 1, DType::f32);
  const std::vector<double> expected =
      numbers(standardize_columns(plain, Array(), Array(), kColumns, 1e-3).y);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double odd : {1e5, infinity, std::nan("")}) {
    Array x = plain.clone();
    for (Index r = 0; r < kRows; ++r) x.mutable_data<float>()[r * kColumns + 5] += 1e5f;
    if (!std::isfinite(odd)) x.mutable_data<float>()[4001 * kColumns + 5] = static_cast<float>(odd);
    const Standardized out = standardize_columns(x, Array(), Array(), kColumns, 1e-3);
    std::vector<double> found = numbers(out.y);
    for (std::size_t at = 5; at < found.size(); at += kColumns) {
      EXPECT_EQ(std::isfinite(found[at]), std::isfinite(odd));
      found[at] = expected[at];
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::isinf(out.mean.select(0, 5).item()), std::isinf(odd));
  }
}

}  // namespace
}  // namespace heed::kernels
