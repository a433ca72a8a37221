#include "../../nn/prelu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(PReLU, BeginsAsPyTorchDoes) {
  nn::PReLU layer;
  EXPECT_EQ(layer.state_dict()[0].first, "weight");
  const Tensor x = tensor({-4, 0, 3}, {3}).set_requires_grad();
  const Tensor y = layer(x);
  EXPECT_THAT(y.array().to_vector<float>(), testing::ElementsAre(-1, 0, 3));
  y.backward(ones({3}));
  EXPECT_THAT(x.grad().array().to_vector<float>(), testing::ElementsAre(0.25f, 0.25f, 1));
  EXPECT_THAT(layer.weight.grad().array().to_vector<float>(), testing::ElementsAre(-4));
  EXPECT_ERROR(ValueError, "PReLU: count 0 must be positive", nn::PReLU(0));
}

}  // namespace
}  // namespace heed
