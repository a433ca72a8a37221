#include "../../nn/conv_transpose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "uniform_within.h"

namespace heed {
namespace {

TEST(ConvTranspose1d, HasPyTorchsNamesLayoutAndFirstValues) {
  manual_seed(3);
  const nn::ConvTranspose1d layer(14, 1511, 7);
  const nn::NamedTensors names = layer.named_parameters();
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].first, "weight");
  EXPECT_EQ(names[1].first, "bias");
  EXPECT_EQ(layer.weight.shape(), (Shape{14, 1511, 7}));
  EXPECT_EQ(layer.bias.shape(), (Shape{1511}));
  expect_uniform_within(layer.weight, 1 / std::sqrt(1511.0 * 7));
  expect_uniform_within(layer.bias, 1 / std::sqrt(1511.0 * 7), 0.1);
  EXPECT_EQ(nn::ConvTranspose1d(3, 5, 2, ConvTranspose1dOptions{}, false).named_parameters().size(),
            1U);
}

TEST(ConvTranspose1d, PutsTheKernelDownAtEachPlace) {
  nn::ConvTranspose1d layer(1, 2, 2, ConvTranspose1dOptions{}, true, DType::f64);
  layer.load_state_dict({{"weight", tensor({1, 10, 2, 0}, {1, 2, 2}, DType::f64)},
                         {"bias", tensor({100, 200}, {2}, DType::f64)}});
  const Tensor y = layer(tensor({3, 5, 7}, {1, 1, 3}, DType::f64));
  EXPECT_EQ(y.shape(), (Shape{1, 2, 4}));
  EXPECT_THAT(y.array().to_vector<double>(),
              testing::ElementsAre(103, 135, 157, 170, 206, 210, 214, 200));
}

TEST(ConvTranspose2d, PassesTheGradientCheck) {
  manual_seed(7);
  nn::ConvTranspose2d layer(2, 3, {2, 3}, {.stride = {2, 1}}, true, DType::f64);
  const auto report = nn::gradcheck(layer, randn({2, 2, 3, 5}, DType::f64));
  EXPECT_TRUE(report) << report.text();
}

}  // namespace
}  // namespace heed
