// Reductions and writes where differences cannot check their gradients: at zeros, at infinities,
// among equals.
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/index/mask_index.h"
#include "../../../../autograd/ops/index/sort.h"
#include "../../../../autograd/ops/reduce/cumulative.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/reduce/statistics.h"
#include "../../../../core/error.h"
#include "../../../support/numbers.h"
#include "../../../support/throws.h"
#include "../../kinks.h"

namespace heed {
namespace {

TEST(Kinks, NormIsFlatAtTheZeroVector) {
  const Tensor x = leaf({0, 0, 0});
  for (const double p : {2.0, 1.0, 3.0, 1.5, 0.5, -1.0, HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(norm(x, p).item(), 0) << p;
    EXPECT_EQ(gradient(norm(x, p), x), (Numbers{0, 0, 0})) << p;
  }
}

TEST(Kinks, NormIsFlatInElementsThatAreZero) {
  const Tensor x = leaf({3, 0, -4});
  const Numbers g = gradient(norm(x), x);
  EXPECT_DOUBLE_EQ(g[0], 0.6);
  EXPECT_EQ(g[1], 0);
  EXPECT_DOUBLE_EQ(g[2], -0.8);
  EXPECT_EQ(gradient(norm(x, 1), x), (Numbers{1, 0, -1}));
  EXPECT_EQ(gradient(norm(x, 0.5), x)[1], 0);
  EXPECT_EQ(norm(x, -2).item(), 0);
  EXPECT_EQ(norm(x, 0).item(), 2);
}

TEST(Kinks, LargestNormsShareTheGradient) {
  const Tensor x = leaf({-2, 1, 2, -1});
  EXPECT_EQ(gradient(norm(x, HUGE_VAL), x), (Numbers{-0.5, 0, 0.5, 0}));
  EXPECT_EQ(gradient(norm(x, -HUGE_VAL), x), (Numbers{0, 0.5, 0, -0.5}));
}

TEST(Kinks, StddevIsFlatWhereNothingDiffers) {
  const Tensor x = leaf({5, 5, 5, 1, 2, 3}, {2, 3});
  const Numbers g = gradient(stddev(x, {1}), x);
  EXPECT_EQ(Numbers(g.begin(), g.begin() + 3), (Numbers{0, 0, 0}));
  EXPECT_EQ(Numbers(g.begin() + 3, g.end()), (Numbers{-0.5, 0, 0.5}));
}

// Some elements make one, but of results there are none.
TEST(Statistics, OfNoResultsAreEmpty) {
  const Tensor x = leaf({}, {3, 0});
  for (const bool keepdim : {false, true}) {
    const Shape expected = keepdim ? Shape{1, 0} : Shape{0};
    std::vector<Tensor> all{var(x, {0}, keepdim, 1), var(x, {0}, keepdim, 0),
                            stddev(x, {0}, keepdim, 1)};
    for (const double p : {2.0, 1.0, 0.5, -1.0, HUGE_VAL, -HUGE_VAL}) {
      all.push_back(norm(x, p, {0}, keepdim));
    }
    for (const Tensor& out : all) {
      EXPECT_EQ(out.shape(), expected);
      EXPECT_EQ(gradient(out, x), Numbers());
    }
  }
  EXPECT_ERROR(ShapeError, "var: no elements to reduce in f64[3, 0]", var(x, {1}));
  EXPECT_ERROR(ShapeError, "var: no elements to reduce in f64[3, 0]", var(x));
  EXPECT_ERROR(ShapeError, "norm: no elements to reduce in f64[3, 0]", norm(x, HUGE_VAL, {1}));
  EXPECT_THROW(var(x, {0}, false, -1), ValueError);
}

TEST(Kinks, MaxPicksTheFirstOfEquals) {
  const Tensor x = leaf({1, 3, 3});
  EXPECT_EQ(gradient(max(x, 0).values, x), (Numbers{0, 1, 0}));
  EXPECT_EQ(gradient(min(-x, 0).values, x), (Numbers{0, -1, 0}));
  EXPECT_EQ(gradient(median(x), x), (Numbers{0, 1, 0}));
}

// An empty batch has no means, where each of them would be one of something.
TEST(Mean, OfAnEmptyBatchIsEmpty) {
  Tensor x = zeros({0, 3, 5}, DType::f64).set_requires_grad();
  const Tensor y = mean(x, {1, 2});
  EXPECT_EQ(y.shape(), Shape{0});
  sum(y).backward();
  EXPECT_EQ(x.grad().shape(), x.shape());
  EXPECT_ERROR(ShapeError, "mean: no elements to reduce in f32[3, 0]", mean(zeros({3, 0}), {1}));
}

TEST(Prod, HasItsGradientWithOneAndWithSeveralZeros) {
  const Tensor none = leaf({2, 3, 5}), one = leaf({2, 0, 5}), two = leaf({0, 3, 0});
  EXPECT_EQ(gradient(prod(none), none), (Numbers{15, 10, 6}));
  EXPECT_EQ(gradient(prod(one), one), (Numbers{0, 10, 0}));
  EXPECT_EQ(gradient(prod(two), two), (Numbers{0, 0, 0}));
}

TEST(Prod, HasItsSecondGradientWithZeros) {
  const Tensor x = leaf({0, 3, 0});
  const Tensor first = grad({prod(x)}, {x}, {}, {.create_graph = true})[0];
  const Tensor weights = tensor({1, 10, 100}, {3}, DType::f64);
  // d2 of x1 x2 x3: 0, x3, x2; x3, 0, x1; x2, x1, 0
  EXPECT_EQ(gradient(sum(first * weights), x), (Numbers{300, 0, 3}));
}

TEST(Cumprod, HasItsGradientWithZeros) {
  const Tensor x = leaf({2, 0, 3, 0});
  EXPECT_EQ(numbers(cumprod(x, 0)), (Numbers{2, 0, 0, 0}));
  EXPECT_EQ(gradient(cumprod(x, 0), x), (Numbers{1, 2 + 6, 0, 0}));
}

TEST(Logsumexp, OfMinusInfinityAloneHasNoGradient) {
  const Tensor x = leaf({-INFINITY, -INFINITY, 1, -INFINITY}, {2, 2});
  EXPECT_EQ(numbers(logsumexp(x, {1})), (Numbers{-INFINITY, 1}));
  EXPECT_EQ(gradient(logsumexp(x, {1}), x), (Numbers{0, 0, 1, 0}));
}

TEST(Logsumexp, NeitherOverflowsNorNeedsElements) {
  EXPECT_EQ(logsumexp(tensor({1000, 1000}, {2}, DType::f64)).item(), 1000 + std::log(2.0));
  EXPECT_EQ(logsumexp(tensor({-1000, -1000}, {2}, DType::f64)).item(), std::log(2.0) - 1000);
  EXPECT_EQ(logsumexp(tensor({INFINITY, 3}, {2})).item(), INFINITY);
  EXPECT_TRUE(std::isnan(logsumexp(tensor({NAN, 3}, {2})).item()));
  EXPECT_EQ(logsumexp(zeros({0})).item(), -INFINITY);
  EXPECT_EQ(logsumexp(zeros({0, 3}), {0}, true).shape(), (Shape{1, 3}));
}

TEST(IndexPut, OnlyTheLastOfEqualPlacesGetsAGradient) {
  const Tensor x = leaf({1, 2, 3}), values = leaf({4, 5, 6});
  const Tensor at = Tensor(Array::from(std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(numbers(index_put(x, {at}, values)), (Numbers{5, 6, 3}));
  EXPECT_EQ(gradient(index_put(x, {at}, values), x), (Numbers{0, 0, 1}));
  EXPECT_EQ(gradient(index_put(x, {at}, values), values), (Numbers{0, 1, 1}));
  const Tensor added = index_put(x, {at}, values, true);
  EXPECT_EQ(numbers(added), (Numbers{6, 12, 3}));
  EXPECT_EQ(gradient(added, values), (Numbers{1, 1, 1}));
}

}  // namespace
}  // namespace heed
