#include "../../nn/maxout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

double at(const Tensor& x, std::size_t i) { return x.array().to_vector<double>()[i]; }

TEST(Maxout, IsTheLargestOfItsPieces) {
  const nn::Maxout layer(3, 2, 5, DType::f64);
  const Tensor x = randn({7, 3}, DType::f64);
  const Tensor y = layer(x);
  ASSERT_EQ(y.shape(), (Shape{7, 2}));
  for (std::size_t n = 0; n < 7; ++n) {
    for (std::size_t j = 0; j < 2; ++j) {
      double most = -INFINITY;
      for (std::size_t k = 0; k < 5; ++k) {
        const std::size_t unit = 5 * j + k;
        double sum = at(layer.linear.bias, unit);
        for (std::size_t i = 0; i < 3; ++i) {
          sum += at(layer.linear.weight, 3 * unit + i) * at(x, 3 * n + i);
        }
        most = std::fmax(most, sum);
      }
      EXPECT_NEAR(at(y, 2 * n + j), most, 1e-14);
    }
  }
}

TEST(Maxout, ChecksItsSizes) {
  EXPECT_ERROR_WITH(ShapeError, "Maxout", nn::Maxout(3, Index{1} << 62, 4));
}

}  // namespace
}  // namespace heed
