#include "../../nn/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/ops/shape/shape.h"

namespace heed {
namespace {

using testing::ElementsAre;

std::vector<float> numbers(const Tensor& x) { return x.array().to_vector<float>(); }

TEST(Pooling, LayersCallTheirFunctions) {
  const Tensor row = tensor({1, 5, 2, 8, 3, 7}, {1, 1, 6});
  EXPECT_THAT(numbers(nn::MaxPool1d({.kernel = 2})(row)), ElementsAre(5, 8, 7));
  EXPECT_THAT(numbers(nn::AvgPool1d({.kernel = 2, .stride = 4})(row)), ElementsAre(3, 5));
  EXPECT_THAT(numbers(nn::AdaptiveAvgPool1d(2)(row)), ElementsAre(8.0F / 3, 6));
  const Tensor plane = tensor({1, 5, 2, 8, 3, 7}, {1, 1, 2, 3});
  EXPECT_THAT(numbers(nn::MaxPool2d({.kernel = {2, 1}})(plane)), ElementsAre(8, 5, 7));
  EXPECT_THAT(numbers(nn::AvgPool2d({.kernel = {1, 3}})(plane)), ElementsAre(8.0F / 3, 6));
  EXPECT_THAT(numbers(nn::AdaptiveAvgPool2d({1, 3})(plane)), ElementsAre(4.5, 4, 4.5));
}

TEST(Pooling, TakesItsNumbersInPyTorchsOrder) {
  const Tensor row = tensor({1, 5, 2, 8, 3, 7}, {1, 1, 6}), plane = reshape(row, {1, 1, 2, 3});
  EXPECT_THAT(numbers(nn::MaxPool1d(2)(row)), ElementsAre(5, 8, 7));
  EXPECT_THAT(numbers(nn::MaxPool1d(2, 3)(row)), ElementsAre(5, 8));
  EXPECT_THAT(numbers(nn::MaxPool1d(2, 3, 1)(row)), ElementsAre(1, 8, 7));
  EXPECT_THAT(numbers(nn::AvgPool1d(2)(row)), ElementsAre(3, 5, 5));
  EXPECT_THAT(numbers(nn::AvgPool1d(2, 3)(row)), ElementsAre(3, 5.5F));
  EXPECT_THAT(numbers(nn::MaxPool2d(2)(plane)), ElementsAre(8));
  EXPECT_THAT(numbers(nn::MaxPool2d(2, 1)(plane)), ElementsAre(8, 7));
  EXPECT_THAT(numbers(nn::AvgPool2d(2)(plane)), ElementsAre(4.25F));
  EXPECT_THAT(numbers(nn::AvgPool2d(2, 1)(plane)), ElementsAre(4.25F, 4.25F));
}

TEST(Pooling, HasNoParameters) {
  EXPECT_EQ(nn::MaxPool2d({.kernel = 2}).parameter_count(), 0);
  EXPECT_TRUE(nn::AvgPool1d({.kernel = 2}).state_dict().empty());
}

}  // namespace
}  // namespace heed
