// The spread of rows, read once: under each set of vector instructions, beside two passes in long
// doubles.
#include "../../../../core/kernels/reduce/variance.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/reduce/reduce.h"
#include "../../../../core/parallel.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

// The sum of squared deviations of x's rows over `over`, row by row.
std::vector<double> by_definition(const Array& x, Index rows, double over) {
  const std::vector<double> all = x.to(DType::f64).to_vector<double>();
  const std::size_t n = all.size() / static_cast<std::size_t>(rows);
  std::vector<double> out;
  for (std::size_t first = 0; first < all.size(); first += n) {
    long double mean = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) mean += static_cast<long double>(all[first + i]);
    mean /= static_cast<long double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      const long double off = static_cast<long double>(all[first + i]) - mean;
      squares += off * off;
    }
    out.push_back(static_cast<double>(squares) / over);
  }
  return out;
}

void expect_variances(const Array& x, const std::vector<Index>& axes, double room) {
  const Array found = variance(x, axes, 3.5, false);
  const std::vector<double> wanted = by_definition(x, found.numel(), 3.5);
  const std::vector<double> values = found.to(DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(values[i], wanted[i], room * wanted[i]) << "row " << i << " of " << describe(x);
  }
}

TEST(Variance, OfRowsOfAnyLength) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      Generator generator(5);
      const double room = dtype == DType::f32 ? 1e-6 : 1e-14;
      for (const Index n : {1, 2, 3, 7, 8, 13, 31, 67, 131, 1021, 1033, 2053, 4099}) {
        expect_variances(generator.normal({3, n}, 2, 3, dtype), {1}, room);
      }
      expect_variances(generator.normal({5, 7, 11}, -1, 2, dtype), {1, 2}, room);
      expect_variances(generator.normal({2, 3, 5}, -1, 2, dtype), {0, 1, 2}, room);
      expect_variances(generator.normal({2, 131'101}, 1, 2, dtype), {1}, room);  // pieces
      expect_variances(generator.normal({3, 65'537}, 1, 2, dtype), {0, 1}, room);
    }
  });
}

TEST(Variance, KeepsItsDigitsFarFromZero) {
  under_every_simd([] {
    Generator generator(7);
    expect_variances(generator.normal({200'003}, 1e5, 1, DType::f32), {0}, 1e-6);
    expect_variances(generator.normal({200'003}, 1e9, 1, DType::f64), {0}, 1e-9);
    // Half of it here, half there: blocks whose means lie far apart.
    Array halves = generator.normal({2, 100'003}, 0, 1, DType::f32);
    float* x = halves.mutable_data<float>();
    for (Index i = 0; i < 100'003; ++i) x[i] += 1e4f;
    expect_variances(halves, {0, 1}, 1e-6);
  });
}

TEST(Variance, OfEqualNumbersIsZero) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index n : {1, 5, 1021, 70'001}) {
      for (const double each : {0.1, -1234567.8, 1e-30}) {
        EXPECT_EQ(variance(Array::full({n}, each, dtype), {0}, 1, false).item(), 0) << n;
      }
    }
  }
  // Whose squares are infinite.
  EXPECT_EQ(variance(Array::full({3001}, 1e200, DType::f64), {0}, 1, false).item(), 0);
}

TEST(Variance, OfTheLargestNumbersAndOfNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double most = FLT_MAX;
  EXPECT_EQ(variance(Array::full({3001}, most, DType::f32), {0}, 1, false).item(), 0);
  Array apart = Array::from(std::vector<float>(3001, -0.75f * FLT_MAX), {3001});
  apart.mutable_data<float>()[0] = 0.75f * FLT_MAX;
  EXPECT_EQ(variance(apart, {0}, 1, false).item(), HUGE_VAL);
  Array x = Array::full({2, 3001}, 1, DType::f32);
  for (const double odd : {nan, HUGE_VAL}) {
    x.mutable_data<float>()[3001 + 2999] = static_cast<float>(odd);
    const Array found = variance(x, {1}, 1, true);
    EXPECT_EQ(found.shape(), (Shape{2, 1}));
    EXPECT_EQ(found.to_vector<float>()[0], 0);
    EXPECT_TRUE(std::isnan(found.to_vector<float>()[1]));
  }
}

// In turns below and above 0, of a variance that f32 holds, though not the squares of eight.
TEST(Variance, OfDeviationsTooLargeToBeSquared) {
  under_every_simd([] {
    for (const Index n : {2, 7, 1021, 4099, 70'001}) {
      std::vector<float> x(static_cast<std::size_t>(n), 8e18f);
      for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -8e18f;
      for (const float first : {-8e18f, 3e19f}) {  // whose square is infinite, too
        x[0] = first;
        const auto over = static_cast<double>(n < 20 ? 20 : n);
        const Array all = Array::from(x, {n});
        EXPECT_NEAR(variance(all, {0}, over, false).item() / by_definition(all, 1, over)[0], 1,
                    1e-6)
            << n << ", " << first;
      }
    }
  });
}

TEST(Variance, IsOfWhatIsComputedIn) {
  const Array x = Array::full({3, 5, 7}, 1, DType::f32);
  for (const DType dtype : {DType::bf16, DType::i64, DType::boolean}) {
    EXPECT_THROW(variance(x.to(dtype), {2}, 7, false), DTypeError) << name(dtype);
  }
}

TEST(Variance, OfAnyAxesIsThatOfRows) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Array x = Generator(13).normal({5, 103, 7, 67}, 1e3, 1, dtype);
      const double room = dtype == DType::f32 ? 1e-6 : 1e-9;
      const auto expect = [&](const std::vector<Index>& axes, const std::vector<Index>& order) {
        const Array rows = x.permute(order).contiguous();
        for (const Array& from : {x, x.permute({3, 2, 1, 0}).contiguous().permute({3, 2, 1, 0})}) {
          const Array found = variance(from, axes, 3.5, true);
          EXPECT_EQ(found.shape(), reduced_shape(x.shape(), axes, true));
          const std::vector<double> wanted = by_definition(rows, found.numel(), 3.5);
          const std::vector<double> values = found.to(DType::f64).to_vector<double>();
          for (std::size_t i = 0; i < wanted.size(); ++i) {
            ASSERT_NEAR(values[i] / wanted[i], 1, room) << i;
          }
        }
      };
      expect({0}, {1, 2, 3, 0});
      expect({1}, {0, 2, 3, 1});
      expect({2}, {0, 1, 3, 2});
      expect({0, 1}, {2, 3, 0, 1});
      expect({1, 3}, {0, 2, 1, 3});
      expect({0, 2, 3}, {1, 0, 2, 3});
    }
  });
}

TEST(Variance, IsTheSameForAnyNumberOfThreads) {
  Generator generator(11);
  const int before = num_threads();
  for (const Shape& shape : {Shape{2, 300'007}, Shape{1009, 211}}) {
    const Array x = generator.normal(shape, 1, 2, DType::f32);
    for (const Index axis : {0, 1}) {
      set_num_threads(1);
      const auto alone = variance(x, {axis}, 7, false).to_vector<float>();
      for (const int threads : {2, 3, 4}) {
        set_num_threads(threads);
        EXPECT_EQ(variance(x, {axis}, 7, false).to_vector<float>(), alone) << threads;
      }
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace heed::kernels
