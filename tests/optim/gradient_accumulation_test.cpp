// Two half batches, each with its share of the loss, are one batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/losses/regression_losses.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/generator.h"
#include "../../nn/linear.h"
#include "../../optim/adam.h"

namespace heed {
namespace {

std::vector<double> trained(Index pieces) {
  manual_seed(8);
  nn::Linear layer(5, 3, true, DType::f64);
  const Tensor x = randn({14, 5}, DType::f64), y = randn({14, 3}, DType::f64);
  optim::Adam adam(layer.parameters(), {.lr = 0.1});
  const Index size = 14 / pieces;
  for (int step = 0; step < 5; ++step) {
    adam.zero_grad();
    for (Index i = 0; i < pieces; ++i) {
      const Tensor loss =
          mse_loss(layer(narrow(x, 0, i * size, size)), narrow(y, 0, i * size, size));
      (loss / static_cast<double>(pieces)).backward();
    }
    adam.step();
  }
  return layer.weight.array().to_vector<double>();
}

TEST(GradientAccumulation, HalvesMakeTheWhole) {
  const std::vector<double> whole = trained(1);
  EXPECT_THAT(trained(2), testing::Pointwise(testing::DoubleNear(1e-12), whole));
  EXPECT_THAT(trained(7), testing::Pointwise(testing::DoubleNear(1e-12), whole));
}

}  // namespace
}  // namespace heed
