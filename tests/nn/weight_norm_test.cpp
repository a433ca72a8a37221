#include "../../nn/weight_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/gradcheck.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../../nn/gradcheck.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

constexpr Index kIn = 5, kOut = 3, kKernel = 7;

double apart(const Tensor& a, const Tensor& b) { return sum(abs(a - b)).item(); }

std::vector<std::string> names_of(const Module& module) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : module.state_dict()) {
    out.push_back(name + heed::to_string(tensor.shape()));
  }
  return out;
}

// Each output's weights over their length, times g.
TEST(WeightNorm, IsTheDefinition) {
  manual_seed(1);
  const Tensor v = randn({kOut, kIn, 2}, DType::f64), g = randn({kOut, 1, 1}, DType::f64);
  const auto numbers = v.array().to_vector<double>(), lengths = g.array().to_vector<double>();
  const auto w = weight_norm(v, g).array().to_vector<double>();
  for (std::size_t o = 0; o < kOut; ++o) {
    double squares = 0;
    for (std::size_t i = 0; i < 2 * kIn; ++i) squares += std::pow(numbers[o * 2 * kIn + i], 2);
    for (std::size_t i = 0; i < 2 * kIn; ++i) {
      const std::size_t at = o * 2 * kIn + i;
      EXPECT_NEAR(w[at], lengths[o] * numbers[at] / std::sqrt(squares), 1e-13);
    }
  }
}

TEST(WeightNorm, LayersBeginAsTheyWouldWithoutIt) {
  const Tensor x = randn({2, kIn}, DType::f64), sequence = randn({2, kIn, 11}, DType::f64);
  manual_seed(3);
  const Linear linear(kIn, kOut, true, DType::f64);
  const Conv1d conv(kIn, kOut, kKernel, {.padding = 2}, true, DType::f64);
  for (const bool on : {true, false}) {
    manual_seed(3);
    const WeightNormLinear same(kIn, kOut, on, true, DType::f64);
    const WeightNormConv1d same_conv(kIn, kOut, kKernel, on, {.padding = 2}, true, DType::f64);
    EXPECT_LT(apart(same(x), linear(x)), 1e-13);
    EXPECT_LT(apart(same_conv(sequence), conv(sequence)), 1e-13);
    if (on) {
      EXPECT_THAT(names_of(same),
                  testing::ElementsAre("bias[3]", "weight_g[3, 1]", "weight_v[3, 5]"));
      EXPECT_THAT(names_of(same_conv),
                  testing::ElementsAre("bias[3]", "weight_g[3, 1, 1]", "weight_v[3, 5, 7]"));
    } else {
      EXPECT_EQ(names_of(same), names_of(linear));
      EXPECT_EQ(names_of(same_conv), names_of(conv));
    }
  }
}

TEST(WeightNorm, IsOnAndHasABiasWhereNothingIsSaid) {
  const WeightNormLinear linear(kIn, kOut);
  const WeightNormConv1d conv(kIn, kOut, kKernel);
  EXPECT_THAT(names_of(linear),
              testing::ElementsAre("bias[3]", "weight_g[3, 1]", "weight_v[3, 5]"));
  EXPECT_THAT(names_of(conv),
              testing::ElementsAre("bias[3]", "weight_g[3, 1, 1]", "weight_v[3, 5, 7]"));
  EXPECT_EQ(conv(zeros({2, kIn, 11})).shape(), (Shape{2, kOut, 5}));
}

// The length of v says nothing, g is the length of the weight.
TEST(WeightNorm, LengthAndDirectionAreApart) {
  manual_seed(5);
  const WeightNormLinear layer(kIn, kOut, true, false, DType::f64);
  const Tensor x = randn({2, kIn}, DType::f64), y = layer(x).detach();
  layer.weight_v.detach().copy_from(layer.weight_v.detach() * 3);
  EXPECT_LT(apart(layer(x), y), 1e-13);
  layer.weight_g.detach().copy_from(layer.weight_g.detach() * 3);
  EXPECT_LT(apart(layer(x), y * 3), 1e-13);
}

TEST(WeightNorm, GradientsOfBothOrders) {
  manual_seed(7);
  const WeightNormConv1d conv(2, kOut, 3, true, {}, true, DType::f64);
  const WeightNormLinear out(kOut, 2, true, true, DType::f64);
  const Tensor x = randn({2, 2, 5}, DType::f64);
  std::vector<NamedLeaf> leaves = {{"x", x.detach().set_requires_grad()}};
  for (const auto& [name, leaf] : conv.named_parameters()) leaves.push_back({name, leaf});
  for (const auto& [name, leaf] : out.named_parameters()) leaves.push_back({name, leaf});
  const auto run = [&] {
    return std::vector<Tensor>{
        out(tanh(matmul(conv(leaves[0].leaf), full({3, kOut}, 0.5, DType::f64))))};
  };
  const auto first = gradcheck(run, leaves);
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(run, leaves, {.max_elements = 5});
  EXPECT_TRUE(second) << second.text();
}

TEST(WeightNorm, RefusesWhatDoesNotFit) {
  EXPECT_ERROR(ShapeError,
               "weight_norm: v must be [out, ..] and g [out, 1, ..], not f32[3, 5] and f32[3, 4]",
               weight_norm(zeros({3, 5}), zeros({3, 4})));
  EXPECT_ERROR_WITH(ShapeError, "not f32[3] and f32[3]", weight_norm(zeros({3}), zeros({3})));
  EXPECT_ERROR_WITH(ShapeError, "not f32[] and f32[]", weight_norm(zeros({}), zeros({})));
  EXPECT_ERROR_WITH(GradError, "weight_norm: g is undefined", weight_norm(zeros({3, 5}), Tensor()));
  EXPECT_ERROR_WITH(GradError, "weight_norm: v is undefined", weight_norm(Tensor(), zeros({3})));
  EXPECT_ERROR_WITH(ValueError, "Linear: widths must be positive", WeightNormLinear made(0, 2));
}

}  // namespace
}  // namespace heed::nn
