#include "../../../../autograd/ops/conv/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../autograd/backward.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"
#include "../../../support/numbers.h"
#include "../../kinks.h"

namespace heed {
namespace {

using testing::ElementsAre;

TEST(MaxPool, GivesTheGradientToTheFirstOfEquals) {
  const Tensor x = leaf({5, 5, 1, 3, 3, 3}, {1, 1, 6});
  const MaxPooled out = max_pool1d_with_indices(x, {.kernel = 3});
  EXPECT_THAT(numbers(out.values), ElementsAre(5, 3));
  EXPECT_THAT(out.indices.array().to_vector<std::int64_t>(), ElementsAre(0, 3));
  EXPECT_FALSE(out.indices.requires_grad());
  EXPECT_THAT(gradient(out.values, x), ElementsAre(1, 0, 0, 1, 0, 0));
}

TEST(MaxPool, IndexIsThePlaceInThePlane) {
  const Tensor x = leaf({0, 1, 2, 9, 3, 4, 8, 5, 6, 7, 1, 2}, {1, 3, 4});
  const MaxPooled out = max_pool2d_with_indices(x, {.kernel = 2, .stride = PerAxis(1)});
  EXPECT_THAT(numbers(out.values), ElementsAre(4, 8, 9, 7, 8, 8));
  EXPECT_THAT(out.indices.array().to_vector<std::int64_t>(), ElementsAre(5, 6, 3, 9, 6, 6));
  EXPECT_THAT(gradient(out.values, x), ElementsAre(0, 0, 0, 1, 0, 1, 3, 0, 0, 1, 0, 0));
}

TEST(MaxPool, NaNWins) {
  const Tensor x = leaf({1, NAN, 7, 2, 3, HUGE_VAL}, {1, 6});
  const MaxPooled out = max_pool1d_with_indices(x, {.kernel = 3});
  EXPECT_TRUE(std::isnan(numbers(out.values)[0]));
  EXPECT_EQ(numbers(out.values)[1], HUGE_VAL);
  EXPECT_THAT(out.indices.array().to_vector<std::int64_t>(), ElementsAre(1, 5));
  EXPECT_THAT(gradient(out.values, x), ElementsAre(0, 1, 0, 0, 0, 1));
}

TEST(MaxPool, PaddingNeverIsTheLargest) {
  const Tensor x = leaf({-3, -5, -HUGE_VAL, -HUGE_VAL}, {1, 4});
  const MaxPooled out = max_pool1d_with_indices(x, {.kernel = 2, .padding = 1});
  EXPECT_THAT(numbers(out.values), ElementsAre(-3, -5, -HUGE_VAL));
  EXPECT_THAT(out.indices.array().to_vector<std::int64_t>(), ElementsAre(0, 1, 3));
  EXPECT_THAT(gradient(out.values, x), ElementsAre(1, 1, 0, 1));
}

TEST(AvgPool, DivisorCountsPaddingWhereAsked) {
  const Tensor x = leaf({2, 4, 6}, {1, 3});
  AvgPool1dOptions options{.kernel = 2, .padding = 1};
  EXPECT_THAT(numbers(avg_pool1d(x, options)), ElementsAre(1, 5));
  options.count_include_pad = false;
  EXPECT_THAT(numbers(avg_pool1d(x, options)), ElementsAre(2, 5));
  EXPECT_THAT(gradient(avg_pool1d(x, options), x), ElementsAre(1, 0.5, 0.5));
}

TEST(AvgPool, CeilModeDoesNotCountWhatLiesBehindThePadding) {
  const Tensor x = leaf({2, 4, 6, 8}, {1, 4});
  EXPECT_THAT(numbers(avg_pool1d(x, {.kernel = 3, .ceil_mode = true})), ElementsAre(4, 8));
}

TEST(AdaptiveAvgPool, NoOutputIsEmpty) {
  EXPECT_EQ(adaptive_avg_pool1d(zeros({2, 3, 5}), 0).shape(), (Shape{2, 3, 0}));
}

// Gradients agree where no two elements of a window are equal.
template <class Options>
void expect_plain(Tensor (*pool)(const Tensor&, const Options&),
                  Tensor (*plain)(const Tensor&, const Options&), const Options& options) {
  Generator generator(5);
  Tensor x = Tensor(generator.normal({7, 11, 37, 41}, 0, 1, DType::f64));
  x.set_requires_grad();
  const Tensor a = pool(x, options), b = plain(x, options);
  ASSERT_EQ(a.shape(), b.shape());
  const Tensor g = Tensor(generator.normal(a.shape(), 0, 1, DType::f64));
  const auto near = [](const Tensor& one, const Tensor& other) {
    EXPECT_THAT(numbers(one), testing::Pointwise(testing::DoubleNear(1e-12), numbers(other)));
  };
  near(a, b);
  near(grad({a}, {x}, {g})[0], grad({b}, {x}, {g})[0]);
}

TEST(MaxPool, AgreesWithPlainOperators) {
  expect_plain<MaxPool2dOptions>(max_pool2d, max_pool2d_plain, {.kernel = 2});
  expect_plain<MaxPool2dOptions>(max_pool2d, max_pool2d_plain,
                                 {.kernel = {3, 5},
                                  .stride = PerAxis(2, 3),
                                  .padding = {1, 2},
                                  .dilation = 2,
                                  .ceil_mode = true});
}

TEST(AvgPool, AgreesWithPlainOperators) {
  expect_plain<AvgPool2dOptions>(avg_pool2d, avg_pool2d_plain, {.kernel = 2});
  expect_plain<AvgPool2dOptions>(avg_pool2d, avg_pool2d_plain,
                                 {.kernel = {3, 5},
                                  .stride = PerAxis(2, 3),
                                  .padding = {1, 2},
                                  .ceil_mode = true,
                                  .count_include_pad = false});
}

}  // namespace
}  // namespace heed
