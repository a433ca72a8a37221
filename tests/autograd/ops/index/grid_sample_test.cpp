#include "../../../../autograd/ops/index/grid_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../../autograd/backward.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/generator.h"
#include "../../../support/numbers.h"

namespace heed {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFar[] = {kInf, -kInf, 1e300, -1e300, 1e19};

std::vector<GridSampleOptions> all_options() {
  std::vector<GridSampleOptions> out;
  for (const auto mode : {Interpolation::linear, Interpolation::nearest}) {
    for (const auto padding : {GridPadding::zeros, GridPadding::border}) {
      for (const bool corners : {false, true}) {
        out.push_back({.mode = mode, .padding = padding, .align_corners = corners});
      }
    }
  }
  return out;
}

TEST(GridSample, OfTheIdentityIsTheImage) {
  manual_seed(3);
  const Tensor x = randn({2, 3, 5, 7}, DType::f64);
  const Tensor theta = expand(tensor({1, 0, 0, 0, 1, 0}, {1, 2, 3}, DType::f64), {2, 2, 3});
  for (const GridSampleOptions& options : all_options()) {
    const Tensor y = grid_sample(x, affine_grid(theta, 5, 7, options.align_corners), options);
    EXPECT_LT(amax(abs(y - x)).item(), 1e-12);
  }
}

TEST(GridSample, FarAwayReadsZerosOrTheBorder) {
  manual_seed(5);
  const Tensor x = randn({1, 1, 3, 5}, DType::f64);
  for (const GridSampleOptions& options : all_options()) {
    const bool border = options.padding == GridPadding::border;
    for (const double far : kFar) {
      const Tensor grid = tensor({far, 0}, {1, 1, 1, 2}, DType::f64).set_requires_grad();
      const Tensor y = grid_sample(x, grid, options);
      const Index edge = far > 0 ? 4 : 0;
      EXPECT_EQ(y.item(), border ? index(x, {0, 0, 1, edge}).item() : 0) << far;
      if (!y.requires_grad()) continue;
      sum(y).backward();
      EXPECT_EQ(select(grid.grad(), 3, 0).item(), 0) << far;
    }
  }
}

// In f32 as well, whose far places round to others.
TEST(GridSample, APlaceThatIsNoNumberGivesNoNumberAndNoGradient) {
  manual_seed(7);
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const GridSampleOptions& options : all_options()) {
      for (const double other : {0.0, kInf, kNaN}) {
        const Tensor x = randn({1, 2, 3, 5}, dtype).set_requires_grad();
        const Tensor grid =
            tensor({kNaN, other, other, kNaN, 0.1, 0.2}, {1, 1, 3, 2}, dtype).set_requires_grad();
        const Tensor y = grid_sample(x, grid, options);
        for (Index c = 0; c < 2; ++c) {
          EXPECT_TRUE(std::isnan(index(y, {0, c, 0, 0}).item()));
          EXPECT_TRUE(std::isnan(index(y, {0, c, 0, 1}).item()));
          EXPECT_FALSE(std::isnan(index(y, {0, c, 0, 2}).item()));
        }
        sum(y).backward();
        // Four neighbours weigh 1 in all, in each channel.
        EXPECT_NEAR(sum(x.grad()).item(), 2, 1e-5);
        if (!grid.grad().defined()) continue;
        EXPECT_EQ(sum(abs(narrow(grid.grad(), 2, 0, 2))).item(), 0);
      }
    }
  }
}

TEST(GridSample, WhatIsOutsideIsNotReadWhateverStandsAtTheEdge) {
  const Tensor x = tensor({kNaN, 2, kInf}, {1, 1, 1, 3}, DType::f64);
  const Tensor grid = tensor({-5, 0, 0, 0, 5, 0}, {1, 1, 3, 2}, DType::f64);
  const Tensor y = grid_sample(x, grid, {.mode = Interpolation::nearest});
  EXPECT_THAT(numbers(y), testing::ElementsAre(0, 2, 0));
}

// Beside the outermost middles nothing changes on one side: as in PyTorch, no gradient.
TEST(GridSample, AtTheBorderThePlaceHasNoGradient) {
  const Tensor x = tensor({1, 4, 9, 16}, {1, 1, 1, 4}, DType::f64);
  for (const bool corners : {false, true}) {
    const double end = corners ? 1 : 0.75;
    const Tensor grid =
        tensor({-end, 0, 0, 0, end, 0}, {1, 1, 3, 2}, DType::f64).set_requires_grad();
    const Tensor y =
        grid_sample(x, grid, {.padding = GridPadding::border, .align_corners = corners});
    EXPECT_THAT(numbers(y), testing::ElementsAre(1, 6.5, 16));
    const Tensor g = ones(y.shape(), DType::f64);
    for (const bool again : {true, false}) {
      const auto found = numbers(grad({y}, {grid}, {g}, {.create_graph = again})[0]);
      EXPECT_THAT(found, testing::ElementsAre(0, 0, corners ? 7.5 : 10, 0, 0, 0)) << again;
    }
  }
}

}  // namespace
}  // namespace heed
