#include "../../nn/cross_entropy_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(CrossEntropyLoss, KeepsItsOptions) {
  const nn::CrossEntropyLoss loss({.ignore_index = 1, .reduction = Reduction::sum});
  const Tensor logits = tensor({0, 0, 0, 5, 5, 5}, {2, 3}, DType::f64);
  const Tensor targets = Array::from(std::vector<std::int64_t>{2, 1});
  EXPECT_NEAR(loss(logits, targets).item(), std::log(3.0), 1e-12);
  EXPECT_TRUE(loss.state_dict().empty());
}

TEST(CrossEntropyLoss, ItsWeightsFollowTheDtypeAndAreItsOwn) {
  const Tensor weight = tensor({1, 3}, {2});
  nn::CrossEntropyLoss loss({.weight = weight});
  loss.to(DType::f64);
  EXPECT_EQ(weight.dtype(), DType::f32);
  EXPECT_EQ(loss.named_buffers()[0].first, "weight");
  EXPECT_TRUE(loss.parameters().empty());
  const Tensor logits = tensor({0, std::log(3.0), 0, 0}, {2, 2}, DType::f64);
  const Tensor targets = Array::from(std::vector<std::int64_t>{1, 0});
  // (3 log(4/3) + 1 log 2) / (3 + 1)
  EXPECT_NEAR(loss(logits, targets).item(), (3 * std::log(4.0 / 3) + std::log(2.0)) / 4, 1e-12);
}

}  // namespace
}  // namespace heed
