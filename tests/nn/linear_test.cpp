#include "../../nn/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(Linear, BeginsUniformAsPyTorchDoes) {
  manual_seed(3);
  const nn::Linear layer(49, 211);
  EXPECT_EQ(layer.weight.shape(), (Shape{211, 49}));
  EXPECT_EQ(layer.bias.shape(), (Shape{211}));
  const double bound = 1.0 / 7;
  double low = 0, high = 0, squares = 0;
  for (const float w : layer.weight.array().to_vector<float>()) {
    low = std::fmin(low, w);
    high = std::fmax(high, w);
    squares += static_cast<double>(w) * w;
  }
  EXPECT_GE(low, -bound);
  EXPECT_LE(high, bound);
  EXPECT_NEAR(low, -bound, 1e-3);
  EXPECT_NEAR(high, bound, 1e-3);
  EXPECT_NEAR(squares / (211 * 49), bound * bound / 3, 2e-4);
  EXPECT_NEAR(amax(abs(layer.bias)).item(), bound, 0.01);
}

TEST(Linear, IsTheAffineMap) {
  nn::Linear layer(2, 3, true, DType::f64);
  layer.load_state_dict({{"weight", tensor({1, 2, 3, 4, 5, 6}, {3, 2}, DType::f64)},
                         {"bias", tensor({10, 20, 30}, {3}, DType::f64)}});
  const Tensor y = layer(tensor({1, -1, 2, 0.5}, {2, 2}, DType::f64));
  EXPECT_THAT(y.array().to_vector<double>(), testing::ElementsAre(9, 19, 29, 13, 28, 43));
}

TEST(Linear, WidthsArePositive) {
  EXPECT_ERROR(ValueError, "Linear: widths must be positive: in 0, out 3", nn::Linear(0, 3));
  EXPECT_ERROR(ValueError, "Linear: widths must be positive: in 3, out -1", nn::Linear(3, -1));
}

}  // namespace
}  // namespace heed
