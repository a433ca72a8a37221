// Cross-entropy may write its gradient over logits that nobody else holds; whoever does hold them
// must not notice.
#include "../../../../autograd/ops/losses/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/linalg/matmul.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../core/allocator.h"
#include "../../../../core/generator.h"

namespace heed {
namespace {

constexpr Index kRows = 211, kWidth = 3, kClasses = 2003;

std::vector<float> numbers(const Tensor& x) { return x.array().to_vector<float>(); }

struct Fixture {
  Tensor x, weight, targets;
  Fixture() {
    manual_seed(3);
    x = randn({kRows, kWidth});
    weight = randn({kClasses, kWidth});
    x.set_requires_grad();
    weight.set_requires_grad();
    Array ids = Array::zeros({kRows}, DType::i64);
    for (Index i = 0; i < kRows; ++i) ids.mutable_data<std::int64_t>()[i] = i * 7 % kClasses;
    targets = ids;
  }
  std::vector<float> gradients() {
    std::vector<float> out = numbers(x.grad());
    for (const float g : numbers(weight.grad())) out.push_back(g);
    x.zero_grad();
    weight.zero_grad();
    return out;
  }
};

TEST(CrossEntropy, AClassThatIsRuledOutCostsNothing) {
  const double out = -std::numeric_limits<double>::infinity();
  const Tensor logits = Array::from(std::vector<double>{1, 2, out, out, 0, 0}, {2, 3});
  const Tensor targets = Array::from(std::vector<std::int64_t>{1, 2}, {2});
  const Tensor loss = cross_entropy(logits, targets);
  EXPECT_NEAR(loss.item(), (std::log1p(std::exp(-1.0)) + std::log(2.0)) / 2, 1e-12);
  // Smoothed, it is asked for.
  EXPECT_EQ(cross_entropy(logits, targets, {.label_smoothing = 0.1}).item(), -out);
}

TEST(CrossEntropy, LeavesLogitsAloneThatSomebodyHolds) {
  Fixture f;
  cross_entropy(linear(f.x, f.weight), f.targets).backward();  // over the logits
  const auto want = f.gradients();

  const Tensor logits = linear(f.x, f.weight);
  const auto before = numbers(logits);
  cross_entropy(logits, f.targets).backward();
  EXPECT_EQ(f.gradients(), want);
  EXPECT_EQ(numbers(logits), before);

  const Tensor view = transpose(linear(f.x, f.weight), 0, 1);
  const auto seen = numbers(view);
  cross_entropy(transpose(view, 0, 1), f.targets).backward();
  EXPECT_EQ(f.gradients(), want);
  EXPECT_EQ(numbers(view), seen);
}

TEST(CrossEntropy, KeepsLogitsForAnotherPass) {
  Fixture f;
  cross_entropy(linear(f.x, f.weight), f.targets).backward();
  const auto want = f.gradients();
  const Tensor loss = cross_entropy(linear(f.x, f.weight), f.targets);
  loss.backward({}, {.retain_graph = true});
  EXPECT_EQ(f.gradients(), want);
  loss.backward();
  EXPECT_EQ(f.gradients(), want);
}

TEST(CrossEntropy, TakesNoSecondBlockOfLogits) {
  Fixture f;
  const auto block = static_cast<std::int64_t>(kRows * kClasses * 4);
  const auto held = [] { return memory_stats().live_bytes; };
  const std::int64_t before = held();
  std::int64_t during = 0;
  Tensor logits = linear(f.x, f.weight);
  logits.register_hook([&](const Tensor&) {
    during = held() - before;
    return Tensor();
  });
  const Tensor loss = cross_entropy(logits, f.targets);
  logits = Tensor();
  loss.backward();
  EXPECT_GE(during, block);
  EXPECT_LT(during, block * 3 / 2);  // the gradient lies where the logits lay
}

}  // namespace
}  // namespace heed
