#include "../../nn/bilinear.h"

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

TEST(Bilinear, HasPyTorchsParameters) {
  manual_seed(3);
  const nn::Bilinear layer(25, 7, 31);
  EXPECT_EQ(layer.weight.shape(), (Shape{31, 25, 7}));
  EXPECT_EQ(layer.bias.shape(), (Shape{31}));
  double most = 0;
  for (const float w : layer.weight.array().to_vector<float>())
    most = std::fmax(most, std::fabs(w));
  EXPECT_LE(most, 0.2);  // 1 / sqrt(25)
  EXPECT_GT(most, 0.199);
  const double bias = amax(abs(nn::Bilinear(25, 7, 211).bias)).item();
  EXPECT_LE(bias, 0.2);
  EXPECT_GT(bias, 0.19);
  EXPECT_FALSE(nn::Bilinear(2, 3, 5, false).bias.defined());
}

TEST(Bilinear, IsTheSumOfAllProducts) {
  nn::Bilinear layer(2, 3, 2, true, DType::f64);
  layer.load_state_dict(
      {{"weight", tensor({1, 2, 3, 4, 5, 6, 0, 0, 1, 0, 1, 0}, {2, 2, 3}, DType::f64)},
       {"bias", tensor({10, 20}, {2}, DType::f64)}});
  const Tensor y =
      layer(tensor({1, -1}, {1, 2}, DType::f64), tensor({2, 3, 5}, {1, 3}, DType::f64));
  // 2 + 6 + 15 - 8 - 15 - 30 = -30; 5 - 3 = 2
  EXPECT_THAT(y.array().to_vector<double>(), testing::ElementsAre(-20, 22));
}

TEST(Bilinear, WidthsArePositive) {
  EXPECT_ERROR(ValueError, "Bilinear: widths must be positive: in 2 and 0, out 3",
               nn::Bilinear(2, 0, 3));
}

}  // namespace
}  // namespace heed
