#include <gtest/gtest.h>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/batch_norm.h"
#include "../../autograd/ops/normalise/group_norm.h"
#include "../../autograd/ops/normalise/layer_norm.h"
#include "../../autograd/ops/normalise/rms_norm.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/reduce/statistics.h"
#include "../../core/error.h"
#include "../../nn/batch_norm.h"
#include "../../nn/gradcheck.h"
#include "../../nn/group_norm.h"
#include "../../nn/layer_norm.h"
#include "../support/numbers.h"
#include "../support/throws.h"

namespace heed::nn {
namespace {

std::vector<std::string> names(const Module& module) {
  std::vector<std::string> out;
  for (const auto& [name, tensor] : module.state_dict()) out.push_back(name);
  return out;
}

const Tensor& input() {
  static const Tensor x = randn({5, 3, 2}, DType::f64);
  return x;
}

TEST(NormLayers, HavePyTorchsNames) {
  EXPECT_EQ(names(LayerNorm({3, 2})), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(names(RMSNorm({3})), (std::vector<std::string>{"weight"}));
  EXPECT_EQ(names(GroupNorm(1, 3)), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(names(BatchNorm1d(3)),
            (std::vector<std::string>{"weight", "bias", "running_mean", "running_var",
                                      "num_batches_tracked"}));
  EXPECT_TRUE(names(LayerNorm({3}, 1e-5, false)).empty());
  EXPECT_EQ(BatchNorm2d(3, {.affine = false}).parameter_count(), 0);
  EXPECT_EQ(names(BatchNorm1d(3, {.track_running_stats = false})),
            (std::vector<std::string>{"weight", "bias"}));
}

TEST(NormLayers, AreTheirFunctions) {
  LayerNorm layer({3, 2}, 1e-3, true, DType::f64);
  EXPECT_EQ(numbers(layer(input())),
            numbers(layer_norm(input(), {3, 2}, layer.weight, layer.bias, 1e-3)));
  RMSNorm rms({2}, 1e-3, true, DType::f64);
  EXPECT_EQ(numbers(rms(input())), numbers(rms_norm(input(), {2}, rms.weight, 1e-3)));
  GroupNorm group(3, 3, 1e-3, true, DType::f64);
  EXPECT_EQ(numbers(group(input())),
            numbers(group_norm(input(), 3, group.weight, group.bias, 1e-3)));
}

TEST(NormLayers, PassTheGradientCheck) {
  LayerNorm layer({3, 2}, 1e-5, true, DType::f64);
  RMSNorm rms({3, 2}, 1e-5, true, DType::f64);
  GroupNorm group(1, 3, 1e-5, true, DType::f64);
  BatchNorm1d evaluated(3, {.dtype = DType::f64});
  evaluated.eval();
  for (const auto& report : {gradcheck(layer, input()), gradcheck(rms, input()),
                             gradcheck(group, input()), gradcheck(evaluated, input())}) {
    EXPECT_TRUE(report) << report.text();
  }
}

// Mean and unbiased variance of each channel over 5 x 2 places, moved by a tenth.
TEST(NormLayers, BatchNormKeepsRunningAverages) {
  BatchNorm1d layer(3, {.dtype = DType::f64});
  const Tensor y = layer(input());
  const auto x = numbers(input());
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t n = 0; n < 5; ++n) {
      for (std::size_t t = 0; t < 2; ++t) sum += x[(n * 3 + c) * 2 + t];
    }
    for (std::size_t n = 0; n < 5; ++n) {
      for (std::size_t t = 0; t < 2; ++t) {
        const double off = x[(n * 3 + c) * 2 + t] - sum / 10;
        squares += off * off;
      }
    }
    EXPECT_NEAR(numbers(layer.running_mean)[c], 0.1 * sum / 10, 1e-12);
    EXPECT_NEAR(numbers(layer.running_var)[c], 0.9 + 0.1 * squares / 9, 1e-12);
  }
  EXPECT_EQ(layer.num_batches_tracked.item(), 1);
  layer.eval();
  EXPECT_NE(numbers(layer(input())), numbers(y));
  EXPECT_EQ(layer.num_batches_tracked.item(), 1);
}

// Without a momentum: of three batches of different sizes each counts a third.
TEST(NormLayers, BatchNormKeepsCumulativeAverages) {
  BatchNorm1d layer(3, {.momentum = {}, .dtype = DType::f64});
  Tensor means = zeros({3}, DType::f64), variances = means;
  for (const Index batch : {2, 5, 7}) {
    const Tensor x = randn({batch, 3}, DType::f64);
    layer(x);
    means = means + mean(x, {0});
    variances = variances + var(x, {0});
  }
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(numbers(layer.running_mean)[c], numbers(means)[c] / 3, 1e-12);
    EXPECT_NEAR(numbers(layer.running_var)[c], numbers(variances)[c] / 3, 1e-12);
  }
  EXPECT_EQ(layer.num_batches_tracked.item(), 3);
  layer.eval();
  const auto before = numbers(layer.running_mean);
  layer(input());
  EXPECT_EQ(numbers(layer.running_mean), before);
  EXPECT_EQ(layer.num_batches_tracked.item(), 3);
}

TEST(NormLayers, BatchNormWithoutRunningAveragesAlwaysTakesTheBatch) {
  BatchNorm1d layer(3, {.track_running_stats = false, .dtype = DType::f64});
  const auto y = numbers(layer(input()));
  const auto plain = numbers(batch_norm_plain(input(), layer.weight, layer.bias));
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], plain[i], 1e-12);
  layer.eval();
  EXPECT_EQ(numbers(layer(input())), y);
  EXPECT_FALSE(layer.running_mean.defined());
  const auto report = gradcheck(layer, input());
  EXPECT_TRUE(report) << report.text();
}

// A call that fails has counted nothing.
TEST(NormLayers, BatchNormIsWholeAfterAnError) {
  BatchNorm1d layer(3, {.momentum = {}});
  EXPECT_THROW(layer(zeros({1, 3})), ValueError);
  EXPECT_THROW(layer(zeros({5, 2})), ShapeError);
  EXPECT_EQ(layer.num_batches_tracked.item(), 0);
  EXPECT_EQ(layer.running_var.array().to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

// At a momentum of 0 nothing moves, at 1 only the last batch counts.
TEST(NormLayers, BatchNormTakesTheEndsOfItsMomentum) {
  BatchNorm1d still(3, {.momentum = 0, .dtype = DType::f64});
  still(input());
  EXPECT_EQ(numbers(still.running_var), (std::vector<double>{1, 1, 1}));
  BatchNorm1d quick(3, {.momentum = 1, .dtype = DType::f64});
  quick(input() + 7);
  quick(input());
  const auto means = numbers(mean(input(), {0, 2}));
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(numbers(quick.running_mean)[c], means[c], 1e-12);
}

TEST(NormLayers, OfOneChannelAndAnEpsOfNothing) {
  const Tensor x = tensor({1, 3}, {2, 1}, DType::f64);
  EXPECT_EQ(numbers(BatchNorm1d(1, {.eps = 0, .dtype = DType::f64})(x)),
            (std::vector<double>{-1, 1}));
  EXPECT_EQ(numbers(GroupNorm(1, 1, 0, true, DType::f64)(tensor({1, 3}, {1, 1, 2}, DType::f64))),
            (std::vector<double>{-1, 1}));
}

TEST(NormLayers, RefuseWhatDoesNotFit) {
  EXPECT_THROW(RMSNorm({-3}), ShapeError);
  BatchNorm1d one(3);
  EXPECT_ERROR(ShapeError, "BatchNorm1d: x must be [N, C] or [N, C, L], not f32[5]",
               one(zeros({5})));
  EXPECT_ERROR(ShapeError, "BatchNorm1d: x must be [N, C] or [N, C, L], not f32[5, 3, 2, 2]",
               one(zeros({5, 3, 2, 2})));
  BatchNorm2d two(3);
  EXPECT_ERROR(ShapeError, "BatchNorm2d: x must be [N, C, H, W], not f32[5, 3]",
               two(zeros({5, 3})));
  EXPECT_ERROR(ValueError, "BatchNorm1d: momentum -0.5 is not in [0, 1]",
               BatchNorm1d(3, {.momentum = -0.5}));
  EXPECT_ERROR(ValueError, "GroupNorm: 3 groups do not divide 0 channels", GroupNorm(3, 0));
}

}  // namespace
}  // namespace heed::nn
