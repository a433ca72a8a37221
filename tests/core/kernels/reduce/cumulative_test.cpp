#include "../../../../core/kernels/reduce/cumulative.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

// h_t = a_t h_{t-1} + b_t down the rows of a matrix, or up.
std::vector<double> in_loops(const Array* a, const Array& b, bool reverse) {
  const Index rows = b.size(0), columns = b.size(1);
  const auto x = b.to_vector<double>();
  const auto f = a ? a->to_vector<double>() : std::vector<double>(x.size(), 1);
  std::vector<double> out(x.size());
  for (Index c = 0; c < columns; ++c) {
    double state = 0;
    for (Index step = 0; step < rows; ++step) {
      const Index t = reverse ? rows - 1 - step : step;
      const auto at = static_cast<std::size_t>(t * columns + c);
      state = out[at] = f[at] * state + x[at];
    }
  }
  return out;
}

// Chains side by side in every number around those that one pass takes, along either axis.
TEST(Cumulative, LikeLoops) {
  Generator generator(3);
  for (const Index chains : {1, 2, 7, 8, 9, 23, 63, 64, 65, 131}) {
    const Array b = generator.normal({29, chains}, 0, 1, DType::f64);
    const Array a = generator.uniform({29, chains}, -1, 1, DType::f64);
    const Array wide_a = a.transpose(0, 1).contiguous(), wide_b = b.transpose(0, 1).contiguous();
    for (const bool reverse : {false, true}) {
      const auto sums = in_loops(nullptr, b, reverse), scans = in_loops(&a, b, reverse);
      const auto expect_same = [&](const Array& found, const std::vector<double>& expected) {
        const auto values = found.contiguous().to_vector<double>();
        ASSERT_EQ(values.size(), expected.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_NEAR(values[i], expected[i], 1e-13) << chains << " chains, place " << i;
        }
      };
      expect_same(cumsum(b, 0, reverse), sums);
      expect_same(cumsum(wide_b, 1, reverse).transpose(0, 1), sums);
      expect_same(cumsum(wide_b.transpose(0, 1), 0, reverse), sums);
      expect_same(linear_scan(a, b, 0, reverse), scans);
      expect_same(linear_scan(wide_a, wide_b, 1, reverse).transpose(0, 1), scans);
      expect_same(linear_scan(wide_a.transpose(0, 1), b, 0, reverse), scans);
    }
  }
}

// f32 is summed in f64: a long sum keeps its digits.
TEST(Cumulative, LongSums) {
  const Array y = cumsum(Array::full({3, 100003}, 0.1, DType::f32), 1, false);
  for (Index row = 0; row < 3; ++row) {
    const double last = y.select(0, row).select(0, 100002).item();
    EXPECT_NEAR(last, 100003 * static_cast<double>(0.1F), 1e-3);
  }
}

// Other axes on both sides, counted from the end too; f32; and nothing.
TEST(Cumulative, RunsAlongAnyAxis) {
  Generator generator(7);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Array x = generator.normal({3, 11, 5}, 0, 1, dtype);
    const Array a = generator.uniform({3, 11, 5}, -1, 1, dtype);
    for (const bool reverse : {false, true}) {
      const Array sums = cumsum(x, -2, reverse), scans = linear_scan(a, x, -2, reverse);
      EXPECT_EQ(sums.dtype(), dtype);
      for (Index i = 0; i < 3; ++i) {
        const Array b = x.select(0, i).to(DType::f64), f = a.select(0, i).to(DType::f64);
        const auto expect_near = [&](const Array& found, const std::vector<double>& expected) {
          const auto values = found.select(0, i).to(DType::f64).to_vector<double>();
          for (std::size_t k = 0; k < values.size(); ++k) ASSERT_NEAR(values[k], expected[k], 1e-5);
        };
        expect_near(sums, in_loops(nullptr, b, reverse));
        expect_near(scans, in_loops(&f, b, reverse));
      }
    }
  }
  EXPECT_EQ(cumsum(Array::zeros({3, 0}, DType::f32), 0, false).shape(), (Shape{3, 0}));
  EXPECT_EQ(cumsum(Array::zeros({0, 3}, DType::f32), 0, true).shape(), (Shape{0, 3}));
}

// The first sum is the first number itself, -0 too, and what stands in a's first place is not read.
TEST(Cumulative, BeginsWithTheFirstNumber) {
  const Array x = Array::from(std::vector<double>{-0.0, 1});
  EXPECT_TRUE(std::signbit(cumsum(x, 0, false).data<double>()[0]));
  const Array a = Array::from(std::vector<double>{NAN, 3});
  EXPECT_EQ(linear_scan(a, Array::from(std::vector<double>{2, 1}), 0, false).to_vector<double>(),
            (std::vector<double>{2, 7}));
}

TEST(Cumulative, SaysWhatDoesNotFit) {
  const Array x = Array::zeros({3, 5}, DType::f64);
  EXPECT_ERROR(ShapeError, "cumsum: axis 2 is out of range for rank 2", cumsum(x, 2, false));
  EXPECT_ERROR(ShapeError, "linear_scan: axis 2 is out of range for rank 2",
               linear_scan(x, x, 2, false));
  EXPECT_ERROR(ShapeError, "linear_scan: a f64[3, 1] and b f64[3, 5] must have one shape",
               linear_scan(x.slice(1, 0, 1), x, 0, false));
  EXPECT_ERROR(DTypeError, "linear_scan: dtypes differ: a is f32[3, 5], b is f64[3, 5]",
               linear_scan(x.to(DType::f32), x, 0, false));
  EXPECT_ERROR(DTypeError, "cumsum: takes f32 or f64, not bool",
               cumsum(x.to(DType::boolean), 0, false));
}

}  // namespace
}  // namespace heed::kernels
