// The variance along any axes, in f32, beside that of the same numbers in f64; norms of any order.
#include "../../../../autograd/ops/reduce/statistics.h"

#include <gtest/gtest.h>

#include "../../../../autograd/factories.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/generator.h"
#include "../../../support/numbers.h"
#include "../../kinks.h"

namespace heed {
namespace {

const std::vector<Axes> kAxes = {Axes{0}, Axes{1}, Axes{2}, Axes{0, 1}, Axes{0, 2}, Axes{1, 2}};

TEST(Var, OfEqualNumbersIsZeroAlongAnyAxes) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const double each : {16383.998046875, 0.1, -1234567.8, 3e38}) {
      const Tensor x = full({13, 31, 67}, each, dtype);
      for (const Axes& axes : kAxes) {
        for (const double found : to(var(x, axes), DType::f64).array().to_vector<double>()) {
          EXPECT_EQ(found, 0) << each;
        }
      }
    }
  }
}

TEST(Var, KeepsItsDigitsFarFromZeroAlongAnyAxes) {
  manual_seed(3);
  const Tensor whole = randn({13, 31, 67}) + 1e4;
  for (const Tensor& x : {whole, transpose(whole, 0, 2), narrow(whole, 2, 5, 59)}) {
    for (const Axes& axes : kAxes) {
      for (const bool keepdim : {false, true}) {
        const Tensor found = var(x, axes, keepdim, 1),
                     wanted = var(to(x, DType::f64), axes, keepdim, 1);
        ASSERT_EQ(found.shape(), wanted.shape());
        const auto values = to(found, DType::f64).array().to_vector<double>();
        const auto expected = wanted.array().to_vector<double>();
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_NEAR(values[i] / expected[i], 1, 3e-6);
        }
      }
    }
  }
}

// By way of logarithms the last digit of f64 would go.
TEST(Norm, OfAnyOrderKeepsItsDigits) {
  for (const double p : {4.0, 8.0}) {  // of which 1 / p is exact
    for (int k = 1; k < 23; ++k) {
      const double size = k * 1.1e30;
      const Tensor x = leaf({-size});
      EXPECT_NEAR(norm(x, p).item() / size, 1, 5e-16) << p << ' ' << k;
      EXPECT_NEAR(gradient(norm(x, p), x)[0], -1, 3e-15) << p << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace heed
