#include "../../nn/highway.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../core/error.h"

namespace heed {
namespace {

double at(const Tensor& x, std::size_t i) { return x.array().to_vector<double>()[i]; }

TEST(Highway, MixesItselfWithItsInput) {
  const nn::Highway layer(
      2, -2, [](const Tensor& x) { return tanh(x); }, DType::f64);
  const Tensor x = tensor({0.3, -1.2}, {1, 2}, DType::f64);
  const Tensor y = layer(x);
  for (std::size_t j = 0; j < 2; ++j) {
    double h = at(layer.transform.bias, j), t = at(layer.gate.bias, j);
    EXPECT_EQ(t, -2);
    for (std::size_t i = 0; i < 2; ++i) {
      h += at(layer.transform.weight, 2 * j + i) * at(x, i);
      t += at(layer.gate.weight, 2 * j + i) * at(x, i);
    }
    t = 1 / (1 + std::exp(-t));
    EXPECT_NEAR(at(y, j), t * std::tanh(h) + (1 - t) * at(x, j), 1e-14);
  }
}

TEST(Highway, WithShutGatesPassesItsInputOn) {
  const nn::Highway layer(3, -1000);
  const Tensor x = randn({5, 3});
  EXPECT_EQ(layer(x).array().to_vector<float>(), x.array().to_vector<float>());
}

}  // namespace
}  // namespace heed
