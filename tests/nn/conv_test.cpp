#include "../../nn/conv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "uniform_within.h"

namespace heed {
namespace {

TEST(Conv1d, HasPyTorchsNamesLayoutAndFirstValues) {
  manual_seed(3);
  const nn::Conv1d layer(14, 211, 7);
  const nn::NamedTensors names = layer.named_parameters();
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].first, "weight");
  EXPECT_EQ(names[1].first, "bias");
  EXPECT_EQ(layer.weight.shape(), (Shape{211, 14, 7}));
  EXPECT_EQ(layer.bias.shape(), (Shape{211}));
  expect_uniform_within(layer.weight, 1 / std::sqrt(98.0));
  EXPECT_EQ(nn::Conv1d(3, 5, 2, {}, false).named_parameters().size(), 1U);
}

TEST(Conv2d, HasPyTorchsNamesLayoutAndFirstValues) {
  manual_seed(5);
  const nn::Conv2d layer(12, 94, {3, 5}, {.groups = 2});
  EXPECT_EQ(layer.weight.shape(), (Shape{94, 6, 3, 5}));
  EXPECT_EQ(layer.bias.shape(), (Shape{94}));
  expect_uniform_within(layer.weight, 1 / std::sqrt(90.0));
}

TEST(Conv3d, HasPyTorchsNamesLayoutAndFirstValues) {
  manual_seed(11);
  const nn::Conv3d layer(12, 94, {2, 3, 5}, {.groups = 2});
  const nn::NamedTensors names = layer.named_parameters();
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].first, "weight");
  EXPECT_EQ(names[1].first, "bias");
  EXPECT_EQ(layer.weight.shape(), (Shape{94, 6, 2, 3, 5}));
  EXPECT_EQ(layer.bias.shape(), (Shape{94}));
  expect_uniform_within(layer.weight, 1 / std::sqrt(180.0));
  EXPECT_EQ(nn::Conv3d(3, 5, 2, {}, false).named_parameters().size(), 1U);
  const Conv3dOptions one_by_one = nn::Conv3d(3, 6, 2, 2, {1, 0, 3}, 5, 3).options();
  EXPECT_EQ(one_by_one.stride.z, 2);
  EXPECT_EQ(one_by_one.padding.x, 3);
  EXPECT_EQ(one_by_one.dilation.y, 5);
  EXPECT_EQ(one_by_one.groups, 3);
}

TEST(Conv1d, IsTheCorrelation) {
  nn::Conv1d layer(1, 2, 2, {.padding = 1}, true, DType::f64);
  layer.load_state_dict({{"weight", tensor({1, 10, 2, 0}, {2, 1, 2}, DType::f64)},
                         {"bias", tensor({100, 200}, {2}, DType::f64)}});
  const Tensor y = layer(tensor({3, 5, 7}, {1, 1, 3}, DType::f64));
  EXPECT_EQ(y.shape(), (Shape{1, 2, 4}));
  EXPECT_THAT(y.array().to_vector<double>(),
              testing::ElementsAre(130, 153, 175, 107, 200, 206, 210, 214));
}

TEST(Conv2d, PassesTheGradientCheck) {
  manual_seed(7);
  nn::Conv2d layer(2, 3, {2, 3}, {.stride = {1, 2}, .padding = 1}, true, DType::f64);
  const auto report = nn::gradcheck(layer, randn({2, 2, 3, 5}, DType::f64));
  EXPECT_TRUE(report) << report.text();
}

TEST(Conv3d, PassesTheGradientCheck) {
  manual_seed(13);
  nn::Conv3d layer(2, 3, {2, 1, 3}, {.stride = {1, 2, 1}, .padding = {1, 0, 1}}, true, DType::f64);
  const auto report = nn::gradcheck(layer, randn({2, 2, 3, 2, 5}, DType::f64));
  EXPECT_TRUE(report) << report.text();
}

}  // namespace
}  // namespace heed
