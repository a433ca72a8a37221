#include "../../../../core/kernels/reduce/cumulative.h"

#include <gtest/gtest.h>

#include "../../../../core/generator.h"

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

}  // namespace
}  // namespace heed::kernels
