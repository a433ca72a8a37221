#include "../../nn/init.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};

Moments moments(const Tensor& tensor) {
  const auto x = tensor.array().to(DType::f64).to_vector<double>();
  Moments out;
  for (const double value : x) {
    out.mean += value / static_cast<double>(x.size());
    out.largest = std::fmax(out.largest, std::fabs(value));
  }
  for (const double value : x) {
    out.deviation += (value - out.mean) * (value - out.mean) / static_cast<double>(x.size());
  }
  out.deviation = std::sqrt(out.deviation);
  return out;
}

TEST(Init, UniformAndNormalHaveTheirMoments) {
  Tensor x = zeros({211, 97}, DType::f64).set_requires_grad();
  const std::uint32_t version = x.array().version();
  nn::uniform_(x, 2, 5);
  EXPECT_GT(x.array().version(), version);
  EXPECT_NEAR(moments(x).mean, 3.5, 0.02);
  EXPECT_NEAR(moments(x).deviation, 3 / std::sqrt(12.0), 0.02);
  nn::normal_(x, -1, 0.5);
  EXPECT_NEAR(moments(x).mean, -1, 0.02);
  EXPECT_NEAR(moments(x).deviation, 0.5, 0.01);
  nn::constant_(x, 3);
  EXPECT_THAT(x.array().to_vector<double>(), testing::Each(3.0));
  nn::zeros_(x);
  EXPECT_THAT(x.array().to_vector<double>(), testing::Each(0.0));
  nn::ones_(x);
  EXPECT_THAT(x.array().to_vector<double>(), testing::Each(1.0));
  EXPECT_TRUE(x.requires_grad());
}

TEST(Init, FansSetTheSpread) {
  const Tensor x = zeros({211, 31, 3});
  const double in = 93, out = 633;
  nn::xavier_uniform_(x, 2);
  EXPECT_NEAR(moments(x).largest, 2 * std::sqrt(6 / (in + out)), 1e-3);
  nn::xavier_normal_(x, 2);
  EXPECT_NEAR(moments(x).deviation, 2 * std::sqrt(2 / (in + out)), 2e-3);
  nn::kaiming_uniform_(x);
  EXPECT_NEAR(moments(x).largest, std::sqrt(6 / in), 1e-3);
  nn::kaiming_uniform_(x, std::sqrt(5.0));  // what PyTorch's Linear does
  EXPECT_NEAR(moments(x).largest, std::sqrt(1 / in), 1e-3);
  nn::kaiming_normal_(x, 0, nn::Fan::out);
  EXPECT_NEAR(moments(x).deviation, std::sqrt(2 / out), 1e-3);
  EXPECT_ERROR(ShapeError, "kaiming_normal_: needs rank 2 or more, not f32[5]",
               nn::kaiming_normal_(zeros({5})));
}

TEST(Init, TheSameSeedGivesTheSameNumbers) {
  Generator a(5), b(5);
  const Tensor x = zeros({7, 3}), y = zeros({7, 3});
  nn::xavier_normal_(x, 1, a);
  nn::xavier_normal_(y, 1, b);
  EXPECT_EQ(x.array().to_vector<float>(), y.array().to_vector<float>());
}

TEST(Init, OrthogonalHasOrthonormalRowsOrColumns) {
  for (const Shape& shape : {Shape{5, 13}, Shape{13, 5}, Shape{5, 2, 3}, Shape{7, 7}}) {
    const Tensor x = zeros(shape, DType::f64);
    nn::orthogonal_(x, 3);
    const Tensor flat = reshape(x, {shape[0], -1});
    const bool wide = flat.size(0) <= flat.size(1);
    const Tensor product =
        wide ? matmul(flat, transpose(flat, 0, 1)) : matmul(transpose(flat, 0, 1), flat);
    const auto numbers = product.array().to_vector<double>();
    const auto n = static_cast<std::size_t>(product.size(0));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_NEAR(numbers[i], i % (n + 1) == 0 ? 9 : 0, 1e-12) << to_string(shape);
    }
  }
}

// Of this seed the rows are so nearly the same that one pass leaves a part of one in the other.
TEST(Init, OrthogonalIsSoWhateverIsDrawn) {
  Generator generator(2630);
  const Tensor x = zeros({2, 2}, DType::f64);
  nn::orthogonal_(x, 1, generator);
  const auto w = x.array().to_vector<double>();
  EXPECT_NEAR(w[0] * w[2] + w[1] * w[3], 0, 1e-14);
}

TEST(Init, TakesPyTorchsWords) {
  EXPECT_EQ(nn::init::calculate_gain("relu"), std::sqrt(2.0));
  EXPECT_EQ(nn::init::calculate_gain("tanh"), 5.0 / 3);
  EXPECT_EQ(nn::init::calculate_gain("conv2d"), 1);
  EXPECT_EQ(nn::init::calculate_gain("selu"), 0.75);
  EXPECT_EQ(nn::init::calculate_gain("leaky_relu", 3), std::sqrt(0.2));
  EXPECT_ERROR(ValueError, "calculate_gain: unknown nonlinearity \"gelu\"",
               nn::init::calculate_gain("gelu"));
  const Tensor words = zeros({5, 7}, DType::f64), numbers = zeros({5, 7}, DType::f64);
  manual_seed(3);
  nn::init::kaiming_normal_(words, "fan_out", "relu");
  manual_seed(3);
  nn::init::kaiming_normal_(numbers, 0, nn::Fan::out);
  EXPECT_TRUE(allclose(words, numbers, 1e-14, 0));
  manual_seed(3);
  nn::init::kaiming_uniform_(words, "fan_in", "linear");
  manual_seed(3);
  nn::init::kaiming_uniform_(numbers, 1, nn::Fan::in);
  EXPECT_TRUE(allclose(words, numbers, 1e-14, 0));
  // A leaky ReLU is one where nothing else is said; how leaky, only calculate_gain() is told.
  manual_seed(3);
  nn::init::kaiming_uniform_(words, "fan_out");
  manual_seed(3);
  nn::init::kaiming_uniform_(numbers, 0, nn::Fan::out);
  EXPECT_TRUE(allclose(words, numbers, 1e-14, 0));
  EXPECT_NEAR(nn::init::calculate_gain("leaky_relu"), std::sqrt(2 / (1 + 1e-4)), 1e-15);
  EXPECT_ERROR(ValueError, "kaiming_normal_: mode is \"fan_in\" or \"fan_out\", not \"fan_avg\"",
               nn::init::kaiming_normal_(words, "fan_avg"));
}

TEST(Init, AGainThatIsLeftOutIsOne) {
  const Tensor x = zeros({5, 13}, DType::f64);
  nn::orthogonal_(x);
  EXPECT_NEAR(sum(x * x).item(), 5, 1e-12);
}

TEST(Init, OfNothingDrawsNothing) {
  const auto before = default_generator().state().offset;
  for (const Shape& shape : {Shape{0, 5}, Shape{5, 0}, Shape{3, 0, 2}}) {
    nn::orthogonal_(zeros(shape));
    nn::xavier_uniform_(zeros(shape));
    nn::kaiming_uniform_(zeros(shape));
    nn::kaiming_normal_(zeros(shape), 0, nn::Fan::out);
  }
  EXPECT_EQ(default_generator().state().offset, before);
}

TEST(Init, NeedsTwoAxes) {
  const Tensor x = zeros({5}), y = zeros({2, 1});
  EXPECT_ERROR(ShapeError, "xavier_uniform_: needs rank 2 or more, not f32[5]",
               nn::xavier_uniform_(x));
  EXPECT_ERROR(ShapeError, "xavier_normal_: needs rank 2 or more, not f32[5]",
               nn::xavier_normal_(x));
  EXPECT_ERROR(ShapeError, "kaiming_uniform_: needs rank 2 or more, not f32[5]",
               nn::kaiming_uniform_(x));
  EXPECT_ERROR(ShapeError, "orthogonal_: needs rank 2 or more, not f32[5]", nn::orthogonal_(x));
  nn::orthogonal_(y);
  EXPECT_NEAR(sum(y * y).item(), 1, 1e-6);
}

TEST(Init, ASingleInputCountsAsOne) {
  const Tensor x = zeros({1009, 1});
  nn::kaiming_uniform_(x);
  EXPECT_NEAR(moments(x).largest, std::sqrt(6.0), 0.05);
}

TEST(Init, AWholeNumberIsNotDrawn) {
  const Tensor x = Array::zeros({3, 5}, DType::i64);
  EXPECT_ERROR_WITH(DTypeError, "normal", nn::normal_(x));
  EXPECT_ERROR_WITH(DTypeError, "orthogonal_", nn::orthogonal_(x));
}

TEST(Init, AResultIsRefusedBeforeAnythingIsDrawn) {
  const Tensor x = zeros({3, 5}).requires_grad(true) * 1;
  const auto before = default_generator().state();
  EXPECT_ERROR(GradError, "uniform_: f32[3, 5] is the result of a recorded operator",
               nn::uniform_(x));
  EXPECT_ERROR_WITH(GradError, "normal_: ", nn::normal_(x));
  EXPECT_ERROR_WITH(GradError, "orthogonal_: ", nn::orthogonal_(x));
  EXPECT_THROW(nn::xavier_uniform_(x), GradError);
  EXPECT_THROW(nn::xavier_normal_(x), GradError);
  EXPECT_THROW(nn::kaiming_uniform_(x), GradError);
  EXPECT_THROW(nn::kaiming_normal_(x), GradError);
  EXPECT_EQ(default_generator().state(), before);
}

}  // namespace
}  // namespace heed
