// Optimizers and schedules made in PyTorch's words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/autograd.h"
#include "../../core/error.h"
#include "../../nn/linear.h"
#include "../../optim/optim.h"
#include "../support/throws.h"

namespace heed::optim {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

// The first weight after two steps.
template <class Made>
double moved(Made&& make) {
  nn::Linear layer(3, 5);
  layer.load_state_dict({{"weight", ones({5, 3})}, {"bias", zeros({5})}});
  auto optimizer = make(layer);
  for (const double factor : {1.0, -3.0}) {
    optimizer->zero_grad();
    (sum(layer.weight) * factor).backward();
    optimizer->step();
  }
  return layer.weight[0][0].item();
}

TEST(TorchWords, OptimizersTakeAModuleOrNamedParameters) {
  const double expected = moved([](nn::Linear& l) {
    return std::make_unique<AdamW>(l.parameters(), AdamWOptions{.lr = 0.1});
  });
  EXPECT_EQ(moved([](nn::Linear& l) { return std::make_unique<AdamW>(l, 0.1); }), expected);
  EXPECT_EQ(moved([](nn::Linear& l) { return std::make_unique<AdamW>(l.named_parameters(), 0.1); }),
            expected);
  EXPECT_EQ(
      moved([](nn::Linear& l) { return std::make_unique<AdamW>(l, AdamWOptions{.lr = 0.1}); }),
      expected);
}

TEST(TorchWords, AdamTakesItsOptionsByPlace) {
  const std::array<double, 2> betas = {0.5, 0.75};
  EXPECT_EQ(
      moved([&](nn::Linear& l) { return std::make_unique<Adam>(l.parameters(), 0.1, betas); }),
      moved([&](nn::Linear& l) {
        return std::make_unique<Adam>(l.parameters(), AdamOptions{.lr = 0.1, .betas = betas});
      }));
  EXPECT_EQ(moved([&](nn::Linear& l) { return std::make_unique<AdamW>(l.parameters(), 0.1, 0.5); }),
            moved([&](nn::Linear& l) {
              return std::make_unique<AdamW>(l.parameters(),
                                             AdamWOptions{.lr = 0.1, .weight_decay = 0.5});
            }));
}

TEST(TorchWords, GroupsAreAdded) {
  const Tensor first = ones({2}).set_requires_grad(), second = ones({3}).set_requires_grad();
  SGD sgd({first}, {.lr = 0.5});
  StepLR schedule(sgd, {.step_size = 1, .gamma = 0.5});
  sgd.add_param_group({{second}, {.lr = 0.25}});
  EXPECT_EQ(sgd.group_count(), 2U);
  schedule.step();
  EXPECT_EQ(sgd.lr(0), 0.25);
  EXPECT_EQ(sgd.lr(1), 0.25);
  sum(second).backward();
  sgd.step();
  EXPECT_EQ(second[2].item(), 0.75);
  EXPECT_THROW(sgd.add_param_group({{first}, {.lr = 0.25}}), ValueError);
  EXPECT_EQ(sgd.group_count(), 2U);
  sgd.zero_grad(true);
  EXPECT_FALSE(second.grad().defined());
  EXPECT_ERROR(ValueError, "zero_grad: gradients are forgotten, not filled with zeros",
               sgd.zero_grad(false));
}

TEST(TorchWords, SchedulesTakeTheirOptionsByName) {
  const Tensor p = ones({2}).set_requires_grad();
  SGD sgd({p}, {.lr = 0.5});
  const auto third = [&](auto&& schedule) {
    for (int i = 0; i < 3; ++i) schedule.step();
    const double rate = sgd.lr();
    sgd.set_lr(0.5);
    return rate;
  };
  EXPECT_EQ(third(StepLR(sgd, {.step_size = 2, .gamma = 0.5})), third(StepLR(sgd, 2, 0.5)));
  EXPECT_EQ(third(CosineAnnealingLR(sgd, {.T_max = 7, .eta_min = 0.1})),
            third(CosineAnnealingLR(sgd, 7, 0.1)));
  EXPECT_EQ(third(OneCycleLR(sgd, 0.5, 11, 0.4)),
            third(OneCycleLR(sgd, {.max_lr = 0.5, .total_steps = 11, .pct_start = 0.4})));
}

// torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(T_0=2, T_mult=3, eta_min=0.1), lr 0.5.
TEST(TorchWords, CosinesRestart) {
  const auto cosine = [](double part) {
    return 0.1 + 0.4 * (1 + std::cos(3.14159265358979323846 * part)) / 2;
  };
  const Tensor p = ones({2}).set_requires_grad();
  SGD sgd({p}, {.lr = 0.5});
  lr_scheduler::CosineAnnealingWarmRestarts schedule(sgd, 2, 3, 0.1);
  std::vector<double> rates;
  for (int i = 0; i < 10; ++i) {
    rates.push_back(sgd.lr());
    schedule.step();
  }
  EXPECT_THAT(rates, Pointwise(DoubleNear(1e-12),
                               std::vector<double>{0.5, cosine(0.5), 0.5, cosine(1.0 / 6),
                                                   cosine(2.0 / 6), cosine(0.5), cosine(4.0 / 6),
                                                   cosine(5.0 / 6), 0.5, cosine(1.0 / 18)}));
  const Rate even = rate::cosine_restarts(5);
  EXPECT_EQ(even(0.5, 5'000'000'000), 0.5);
  EXPECT_EQ(even(0.5, 5'000'000'003), even(0.5, 3));
  EXPECT_ERROR(ValueError, "CosineAnnealingWarmRestarts: t_0 0 must be positive",
               rate::cosine_restarts(0));
}

TEST(TorchWords, ClippingTakesAModule) {
  nn::Linear layer(3, 5, false);
  (sum(layer.weight) * 2).backward();
  EXPECT_NEAR(nn::utils::clip_grad_norm_(layer, 1.0), 2 * std::sqrt(15.0), 1e-6);
  EXPECT_NEAR(layer.weight.grad()[4][2].item(), 1 / std::sqrt(15.0), 1e-6);
  clip_grad_value_(layer, 0.125);
  EXPECT_EQ(layer.weight.grad()[4][2].item(), 0.125);
}

}  // namespace
}  // namespace heed::optim
