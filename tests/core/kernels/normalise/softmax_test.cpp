#include "../../../../core/kernels/normalise/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../core/generator.h"

namespace heed::kernels {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> soft(const std::vector<double>& x, const std::vector<bool>& mask = {},
                         bool log = false) {
  return softmax(Array::from(x), 0, mask.empty() ? Array() : Array::from(mask), log)
      .to_vector<double>();
}

// Every length around the width of a vector, with and without a mask, in both dtypes.
TEST(Softmax, AnyLength) {
  Generator generator(3);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double room = dtype == DType::f32 ? 1e-6 : 1e-14;
    for (Index n = 1; n < 70; ++n) {
      const Array x = generator.normal({3, n}, 0, 3, dtype);
      const Array mask = generator.bernoulli({3, n}, 0.7);
      const auto values = x.to(DType::f64).to_vector<double>();
      const auto open = mask.to_vector<bool>();
      for (const bool masked : {false, true}) {
        const auto y =
            softmax(x, 1, masked ? mask : Array(), false).to(DType::f64).to_vector<double>();
        const auto logs =
            softmax(x, 1, masked ? mask : Array(), true).to(DType::f64).to_vector<double>();
        for (std::size_t row = 0; row < 3; ++row) {
          double total = 0;
          const auto at = [&](std::size_t i) { return row * static_cast<std::size_t>(n) + i; };
          const auto counts = [&](std::size_t i) { return !masked || open[at(i)]; };
          for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
            total += counts(i) ? std::exp(values[at(i)]) : 0;
          for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
            ASSERT_NEAR(y[at(i)], counts(i) ? std::exp(values[at(i)]) / total : 0, room);
            if (counts(i)) {
              ASSERT_NEAR(logs[at(i)], values[at(i)] - std::log(total), 30 * room);
            } else {
              ASSERT_EQ(logs[at(i)], -kInf);
            }
          }
        }
      }
    }
  }
}

// Down columns so long that their sums are folded several times.
TEST(Softmax, LongColumns) {
  Generator generator(5);
  for (const Index rows : {127, 131, 257, 1031}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const double room = dtype == DType::f32 ? 1e-7 : 1e-15;
      const Array x = generator.normal({rows, 7}, 0, 1, dtype);
      const auto values = x.to(DType::f64).to_vector<double>();
      for (int again = 0; again < 2; ++again) {  // whatever the first left in memory
        const auto y = softmax(x, 0, Array(), false).to(DType::f64).to_vector<double>();
        for (std::size_t column = 0; column < 7; ++column) {
          double total = 0;
          for (std::size_t i = column; i < values.size(); i += 7) total += std::exp(values[i]);
          for (std::size_t i = column; i < values.size(); i += 7) {
            ASSERT_NEAR(y[i], std::exp(values[i]) / total, room + 1e-6 * y[i]) << rows;
          }
        }
      }
    }
  }
}

TEST(Softmax, LargeNumbersDoNotOverflow) {
  EXPECT_EQ(soft({1000, 1000}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(soft({-1000, 0}), (std::vector<double>{0, 1}));
  EXPECT_EQ(soft({-1000, 0}, {}, true), (std::vector<double>{-1000, 0}));
  EXPECT_EQ(soft({-kInf, 3}), (std::vector<double>{0, 1}));
}

TEST(Softmax, MaskedPlacesCountForNothing) {
  EXPECT_EQ(soft({NAN, 2, kInf, 2}, {false, true, false, true}),
            (std::vector<double>{0, 0.5, 0, 0.5}));
  EXPECT_EQ(soft({1, NAN, 3}, {false, false, false}), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(soft({1, NAN, 3}, {false, false, false}, true),
            (std::vector<double>{-kInf, -kInf, -kInf}));
}

TEST(Softmax, NaNSpreadsOverItsRowOnly) {
  const Array x = Array::from(std::vector<double>{1, NAN, 2, 2}, {2, 2});
  const auto y = softmax(x, 1, Array(), false).to_vector<double>();
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  EXPECT_EQ(y[2], 0.5);
}

TEST(Softmax, GradientIsZeroWhereNothingStands) {
  const Array y = Array::from(std::vector<double>{0, 0.5, 0.5, 0});
  const Array g = Array::from(std::vector<double>{NAN, 1, 3, kInf});
  EXPECT_EQ(softmax_grad(g, y, 0, false).to_vector<double>(),
            (std::vector<double>{0, -0.5, 0.5, 0}));
}

// Down the columns as along the rows, for every number of columns around those of a vector and of a
// strip.
TEST(Softmax, DownColumns) {
  Generator generator(5);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const double room = dtype == DType::f32 ? 1e-5 : 1e-13;
    for (const Index columns : {1, 7, 8, 9, 15, 16, 17, 31, 127, 128, 129, 300}) {
      const Array x = generator.normal({3, 11, columns}, 0, 3, dtype);
      const Array g = generator.normal({3, 11, columns}, 0, 1, dtype);
      for (const bool log : {false, true}) {
        const Array y = softmax(x, 1, Array(), log);
        const Array turned = softmax(x.transpose(1, 2).contiguous(), 2, Array(), log);
        const auto expect_near = [&](const Array& found, const Array& expected) {
          const auto a = found.to(DType::f64).to_vector<double>();
          const auto b = expected.transpose(1, 2).to(DType::f64).to_vector<double>();
          ASSERT_EQ(found.shape(), x.shape());
          for (std::size_t i = 0; i < a.size(); ++i) {
            ASSERT_NEAR(a[i], b[i], room * (1 + std::abs(b[i]))) << columns << " columns, " << log;
          }
        };
        expect_near(y, turned);
        expect_near(softmax_grad(g, y, 1, log),
                    softmax_grad(g.transpose(1, 2).contiguous(), turned, 2, log));
      }
    }
  }
}

// Of any height around those at which sums go to doubles.
TEST(Softmax, DownColumnsOfAnyHeight) {
  Generator generator(11);
  for (Index rows = 1; rows < 100; ++rows) {
    const Array x = generator.normal({rows, 11}, 0, 1, DType::f32);
    const Array g = generator.normal({rows, 11}, 0, 1, DType::f32);
    for (const bool log : {false, true}) {
      const Array y = softmax(x, 0, Array(), log), wide = softmax(x.to(DType::f64), 0, {}, log);
      const auto found = y.to_vector<float>();
      const auto wanted = wide.to_vector<double>();
      const auto slope = softmax_grad(g, y, 0, log).to_vector<float>();
      const auto exact = softmax_grad(g.to(DType::f64), wide, 0, log).to_vector<double>();
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_NEAR(found[i], wanted[i], 2e-6) << rows << " rows, " << log;
        ASSERT_NEAR(slope[i], exact[i], 2e-5) << rows << " rows, " << log;
      }
    }
    for (Index column = 0; column < 11; ++column) {
      double total = 0;
      const auto values = softmax(x, 0, Array(), false).select(1, column).to(DType::f64);
      for (const double value : values.to_vector<double>()) total += value;
      ASSERT_NEAR(total, 1, 1e-6) << rows;
    }
  }
}

TEST(Softmax, NaNSpreadsOverItsColumnOnly) {
  Array x = Array::zeros({3, 17}, DType::f32);
  x.mutable_data<float>()[17 + 5] = NAN;
  const auto y = softmax(x, 0, Array(), false).to_vector<float>();
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i % 17 == 5) << i;
}

}  // namespace
}  // namespace heed::kernels
