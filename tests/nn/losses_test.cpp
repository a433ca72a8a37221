#include "../../nn/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../autograd/ops/normalise/softmax.h"
#include "../../nn/cross_entropy_loss.h"

namespace heed {
namespace {

Tensor numbers(const std::vector<double>& values) {
  return tensor(values, {static_cast<Index>(values.size())}, DType::f64);
}

Tensor ids(const std::vector<std::int64_t>& values) { return Array::from(values); }

TEST(Losses, KeepTheirOptions) {
  const Tensor x = numbers({1, 4}), y = numbers({2, 1});
  EXPECT_EQ(nn::MSELoss()(x, y).item(), 5);
  EXPECT_EQ(nn::MSELoss(Reduction::sum)(x, y).item(), 10);
  EXPECT_EQ(nn::L1Loss(Reduction::sum)(x, y).item(), 4);
  EXPECT_EQ(nn::SmoothL1Loss()(x, y).item(), (0.5 + 2.5) / 2);  // at the joint, and beyond
  EXPECT_EQ(nn::SmoothL1Loss(2, Reduction::sum)(x, y).item(), 0.25 + 2);
  EXPECT_EQ(nn::SmoothL1Loss(0, Reduction::sum)(x, y).item(), 4);
  EXPECT_NEAR(nn::KLDivLoss(Reduction::sum, true)(x, y).item(), std::exp(2) - 3 * std::exp(1),
              1e-12);
  EXPECT_EQ(nn::HingeEmbeddingLoss(5, Reduction::sum)(x, ids({-1, 1})).item(), 4 + 4);
  EXPECT_NEAR(nn::CosineEmbeddingLoss(0.5)(x, x, tensor(-1, DType::f64)).item(), 0.5, 1e-12);
  EXPECT_EQ(nn::MultiMarginLoss({.p = 2, .margin = 2})(x, tensor(0).array().to(DType::i64)).item(),
            12.5);
}

TEST(Losses, WeightsAreBuffersThatFollowTheModel) {
  nn::BCEWithLogitsLoss loss({.pos_weight = tensor({3}, {1}), .reduction = Reduction::sum});
  loss.to(DType::f64);
  ASSERT_EQ(loss.named_buffers().size(), 1U);
  EXPECT_EQ(loss.named_buffers()[0].first, "pos_weight");
  EXPECT_NEAR(loss(numbers({0, 0}), numbers({1, 0})).item(), 4 * std::log(2.0), 1e-12);

  nn::NLLLoss nll({.weight = tensor({1, 3}, {2}), .ignore_index = 7});
  nll.to(DType::f64);
  const Tensor x = tensor({-1, -2, -4, -8, 5, 5}, {3, 2}, DType::f64);
  EXPECT_NEAR(nll(x, ids({1, 0, 7})).item(), (3 * 2 + 4) / 4.0, 1e-12);
}

TEST(Losses, WeightsAreCopies) {
  Tensor given = ones({2}, DType::f64);
  const nn::NLLLoss nll({.weight = given, .reduction = Reduction::sum});
  const nn::CrossEntropyLoss cross({.weight = given, .reduction = Reduction::sum});
  const nn::MultiMarginLoss margin({.weight = given, .reduction = Reduction::sum});
  const nn::BCEWithLogitsLoss binary(
      {.weight = given, .pos_weight = given, .reduction = Reduction::sum});
  given.copy_from(zeros({2}, DType::f64));
  const Tensor x = tensor({-1, -2}, {1, 2}, DType::f64);
  EXPECT_EQ(nll(x, ids({1})).item(), 2);
  EXPECT_NEAR(cross(x, ids({1})).item(), 1 + std::log1p(std::exp(-1)), 1e-12);
  EXPECT_EQ(margin(x, ids({1})).item(), 1);  // (1 + 2 - 1) / 2 classes
  EXPECT_NEAR(binary(zeros({1, 2}, DType::f64), ones({1, 2}, DType::f64)).item(), 2 * std::log(2),
              1e-12);
}

TEST(Losses, NllAfterLogSoftmaxIsCrossEntropy) {
  const Tensor x = randn({5, 3}, DType::f64);
  const Tensor targets = ids({2, 0, 1, -100, 1});
  EXPECT_NEAR(nn::NLLLoss()(log_softmax(x, 1), targets).item(),
              nn::CrossEntropyLoss()(x, targets).item(), 1e-12);
}

TEST(Losses, LogitsOfAnySizeStayExact) {
  const Tensor x = numbers({-1000, 1000, 0, 40}).set_requires_grad();
  const Tensor loss =
      nn::BCEWithLogitsLoss({.reduction = Reduction::none})(x, numbers({1, 0, 1, 1}));
  const auto found = loss.array().to_vector<double>();
  EXPECT_EQ(found[0], 1000);
  EXPECT_EQ(found[1], 1000);
  EXPECT_NEAR(found[2], std::log(2.0), 1e-15);
  EXPECT_NEAR(found[3] / std::exp(-40), 1, 1e-12);
  loss.backward(numbers({1, 1, 1, 1}));
  const auto g = x.grad().array().to_vector<double>();
  EXPECT_EQ(g[0], -1);
  EXPECT_EQ(g[1], 1);
  EXPECT_EQ(g[2], -0.5);
}

TEST(Losses, CtcOfNoStepsHasTheEmptySequenceAlone) {
  const Tensor x = log_softmax(randn({3, 2, 4}), -1);
  const Tensor targets = Array::from(std::vector<Index>{1, 2}, Shape{2, 1});
  const Tensor loss = ctc_loss(x, targets, {0, 0}, {0, 1}, {.reduction = Reduction::none});
  EXPECT_EQ(loss.array().to_vector<float>(),
            (std::vector<float>{0, std::numeric_limits<float>::infinity()}));
}

TEST(Losses, CtcWithoutAnAlignmentIsInfiniteOrZero) {
  const Tensor x = log_softmax(randn({2, 1, 3}, DType::f64), 2).detach().set_requires_grad();
  const Tensor targets = Tensor(Array::from(std::vector<std::int64_t>{1, 1}, {1, 2}));
  for (const bool zero : {false, true}) {
    x.impl()->grad = Tensor();
    const Tensor loss = nn::CTCLoss({.zero_infinity = zero})(x, targets, {2}, {2});
    EXPECT_EQ(loss.item(), zero ? 0 : INFINITY);
    loss.backward();
    EXPECT_THAT(x.grad().array().to_vector<double>(), testing::Each(0));
  }
}

}  // namespace
}  // namespace heed
