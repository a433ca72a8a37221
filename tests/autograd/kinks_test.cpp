// What differences cannot check: gradients at kinks, and past numbers that must not count.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../autograd/backward.h"
#include "../../autograd/ops/cross_entropy.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/softmax.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Tensor leaf(const Numbers& values) {
  Tensor x = tensor(values, {static_cast<Index>(values.size())}, DType::f64);
  x.set_requires_grad();
  return x;
}

// The gradient of a sum, by the fused derivative and by the recorded one, which must agree.
Numbers gradient(const Tensor& out, const Tensor& x) {
  const Tensor g = full(out.shape(), 1, out.dtype());
  const auto plain = grad({out}, {x}, {g}, {.create_graph = true})[0].array().to_vector<double>();
  const auto fused = grad({out}, {x}, {g})[0].array().to_vector<double>();
  EXPECT_EQ(plain, fused);
  return fused;
}

TEST(Kinks, AbsAndReluAreFlatAtZero) {
  const Tensor x = leaf({-1, 0, -0.0, 1});
  EXPECT_EQ(gradient(abs(x), x), (Numbers{-1, 0, 0, 1}));
  EXPECT_EQ(gradient(relu(x), x), (Numbers{0, 0, 0, 1}));
}

TEST(Kinks, EqualOperandsShareTheGradient) {
  const Tensor x = leaf({1, 2, 3}), y = leaf({3, 2, 1});
  EXPECT_EQ(gradient(maximum(x, y), x), (Numbers{0, 0.5, 1}));
  EXPECT_EQ(gradient(maximum(x, y), y), (Numbers{1, 0.5, 0}));
  EXPECT_EQ(gradient(minimum(x, y), x), (Numbers{1, 0.5, 0}));
  EXPECT_EQ(gradient(minimum(x, y), y), (Numbers{0, 0.5, 1}));
}

TEST(Kinks, EqualExtremesShareTheGradient) {
  const Tensor x = leaf({7, -3, 7, -3, 7, -3});
  EXPECT_EQ(gradient(amax(x), x), (Numbers{1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3, 0}));
  EXPECT_EQ(gradient(amin(x), x), (Numbers{0, 1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3}));
}

TEST(NaN, OnTheSideNotTakenDoesNotCount) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor safe = Tensor(Array::from(std::vector<bool>{false, true, false}));
  const Tensor y = leaf({NAN, 2, inf});
  EXPECT_EQ(gradient(where(safe, y, tensor(0, DType::f64)), y), (Numbers{0, 1, 0}));
  EXPECT_EQ(gradient(masked_fill(y, logical_not(safe), 0), y), (Numbers{0, 1, 0}));
}

TEST(NaN, UnderAMaskDoesNotCount) {
  const Tensor x = leaf({1, NAN, 1, std::numeric_limits<double>::infinity()});
  const Tensor open = Tensor(Array::from(std::vector<bool>{true, false, true, false}));
  const Tensor weights = tensor({1, 5, 3, 7}, {4}, DType::f64);
  EXPECT_EQ(gradient(sum(softmax(x, 0, open) * weights), x), (Numbers{-0.5, 0, 0.5, 0}));
  const Tensor shut = Tensor(Array::zeros({4}, DType::boolean));
  EXPECT_EQ(gradient(sum(softmax(x, 0, shut) * weights), x), (Numbers{0, 0, 0, 0}));
}

TEST(Loss, WithoutAnyTargetIsZeroAndSoIsItsGradient) {
  Tensor logits = tensor({1, 2, 3, 4, 5, 6}, {2, 3}, DType::f64);
  logits.set_requires_grad();
  const Tensor targets = Tensor(Array::from(std::vector<std::int64_t>{-100, -100}));
  const Tensor loss = cross_entropy(logits, targets);
  EXPECT_EQ(loss.item(), 0);
  EXPECT_EQ(gradient(loss, logits), Numbers(6, 0));
}

}  // namespace
}  // namespace heed
