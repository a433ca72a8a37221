#include "../../attention/rotary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/gradcheck.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"

namespace heed::attention {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Rotary, TurnsEachPairByItsAngle) {
  manual_seed(3);
  const Tensor x = randn({2, 5, 6}, DType::f64);
  const auto in = x.array().to_vector<double>();
  const auto out = rotary(x, 7, 100).array().to_vector<double>();
  for (std::size_t row = 0; row < 10; ++row) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = (7.0 + static_cast<double>(row % 5)) *
                           std::pow(100.0, -2.0 * static_cast<double>(i) / 6.0);
      const double a = in[row * 6 + 2 * i], b = in[row * 6 + 2 * i + 1];
      EXPECT_NEAR(out[row * 6 + 2 * i], a * std::cos(angle) - b * std::sin(angle), 1e-14);
      EXPECT_NEAR(out[row * 6 + 2 * i + 1], a * std::sin(angle) + b * std::cos(angle), 1e-14);
    }
  }
}

TEST(Rotary, ProductsDependOnTheDistanceAlone) {
  manual_seed(5);
  const Tensor q = randn({1, 8}, DType::f64), k = randn({1, 8}, DType::f64);
  const auto product = [&](Index at, Index other) {
    return matmul(rotary(q, at), transpose(rotary(k, other), 0, 1)).item();
  };
  EXPECT_NEAR(product(3, 1), product(103, 101), 1e-12);
  EXPECT_GT(std::abs(product(3, 1) - product(3, 2)), 1e-3);
}

TEST(Rotary, PassesTheChecks) {
  manual_seed(7);
  const auto f = [](const std::vector<Tensor>& x) { return rotary(x[0], 2); };
  EXPECT_TRUE(gradcheck(f, {randn({3, 5, 4}, DType::f64)}));
  EXPECT_TRUE(gradgradcheck(f, {randn({3, 5, 4}, DType::f64)}));
}

TEST(Rotary, RefusesWhatHasNoPairs) {
  EXPECT_THAT(
      [] {
        rotary(zeros({3, 5}));
      },
      ThrowsMessage<ShapeError>(HasSubstr("with an even D, not f32[3, 5]")));
  EXPECT_THAT([] { rotary(zeros({4})); }, ThrowsMessage<ShapeError>(HasSubstr("not f32[4]")));
  EXPECT_THAT(
      [] {
        rotary(zeros({3, 4}), 0, 0);
      },
      ThrowsMessage<ValueError>(HasSubstr("base 0 must be positive")));
  EXPECT_THAT(
      [] {
        rotary(Tensor(Array::zeros({3, 4}, DType::i64)));
      },
      ThrowsMessage<DTypeError>(HasSubstr("takes f32 or f64, not i64")));
}

}  // namespace
}  // namespace heed::attention
