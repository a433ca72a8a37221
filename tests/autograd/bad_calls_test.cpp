// Sizes beyond 64 bits, and what estimators refuse: the bad calls that no row of the table makes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../autograd/autograd.h"
#include "../../autograd/ops/conv/conv3d.h"
#include "../../autograd/ops/conv/window.h"
#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed {
namespace {

constexpr Index kLargest = std::numeric_limits<Index>::max();

// Sizes without elements, so that nothing is held.
Tensor of_no_rows(Index size) { return expand(zeros({0, 1}), {0, size}); }

TEST(BadCalls, OfJoining) {
  EXPECT_ERROR(ShapeError, "concat: the sizes of axis 1 overflow 64 bits",
               concat({of_no_rows(kLargest), of_no_rows(1)}, 1));
  const Tensor x = zeros({2, 5});
  EXPECT_ERROR(ShapeError, "split: a length of 3 from place 3 is not within axis 1 of f32[2, 5]",
               split(x, std::vector<Index>{3, 3}, 1));
  EXPECT_ERROR(ShapeError, "split: a length of -1 from place 0 is not within axis 1 of f32[2, 5]",
               split(x, std::vector<Index>{-1, 6}, 1));
}

TEST(BadCalls, OfDiagonals) {
  const auto text = [](const Tensor& offset_bias, Index queries, Index keys) {
    return message_of<ShapeError>([&] { offset_block(offset_bias, queries, keys); });
  };
  EXPECT_EQ(text(zeros({2, 5}), 3, 5),
            "offset_block: f32[2, 5] is not [.., 7], for 3 queries and 5 keys");
  EXPECT_EQ(text(zeros({2, 5}), -1, 7),
            "offset_block: f32[2, 5] is not [.., 5], for -1 queries and 7 keys");
  EXPECT_EQ(text(zeros({2, 5}), 7, -1),
            "offset_block: f32[2, 5] is not [.., 5], for 7 queries and -1 keys");
}

TEST(BadCalls, OfMoments) {
  const Tensor x = zeros({2, 3});
  EXPECT_ERROR(ValueError, "var: correction 3 is not in [0, 3), the elements of a mean",
               var(x, {1}, false, 3));
  EXPECT_ERROR(ValueError, "var: correction -1 is not in [0, 3), the elements of a mean",
               var(x, {1}, false, -1));
}

TEST(BadCalls, OfTheBlankOfAnAlignment) {
  for (const Index blank : {-1, 5}) {
    EXPECT_ERROR(ValueError, "ctc_loss: blank " + std::to_string(blank) + " is not in [0, 5)",
                 ctc_loss(zeros({7, 1, 5}), Tensor(Array::full({1, 2}, 1, DType::i64)), {7}, {2},
                          {.blank = blank}));
  }
}

TEST(BadCalls, OfWindowsBeyond64Bits) {
  EXPECT_EQ(message_of<ShapeError>([] {
              slide("pool", {.in = kLargest, .kernel = 3, .padding = 1});
            }).substr(0, 22),
            "pool: sizes overflow: ");
}

TEST(BadCalls, OfKernelsBeyond64Bits) {
  constexpr Index kLong = Index{1} << 22;
  const auto of_no_channels = [](Index images) {
    return expand(zeros({images, 0, 1, 1, 1}), {images, 0, kLong, kLong, kLong});
  };
  EXPECT_ERROR_WITH(ShapeError, "conv3d: ", conv3d(of_no_channels(1), of_no_channels(2)));
}

TEST(BadCalls, OfRandomRanges) {
  Generator generator(1);
  EXPECT_ERROR(ValueError, "uniform: no range from 3 to 2", generator.uniform({2}, 3, 2));
  constexpr double kMost = std::numeric_limits<double>::max();
  EXPECT_EQ(message_of<ValueError>([&] { generator.uniform({2}, -kMost, kMost); }).substr(0, 22),
            "uniform: no range from");
}

TEST(BadCalls, OfCrossedBounds) {
  EXPECT_ERROR(ValueError, "hardtanh: min 1 is above max -1", hardtanh(ones({2}), 1, -1));
  EXPECT_ERROR(ValueError, "hardtanh: min nan is above max 1", hardtanh(ones({2}), NAN, 1));
  EXPECT_EQ(hardtanh(ones({2}), 3, 3).to_vector<float>(), std::vector<float>(2, 3));
}

TEST(BadCalls, OfShapesBeyond64Bits) {
  EXPECT_ERROR(ShapeError,
               "shape: the number of elements of [4294967296, 1, 2147483648] overflows 64 bits",
               (Shape{Index{1} << 32, 1, Index{1} << 31}).numel());
  EXPECT_EQ((Shape{Index{1} << 32, Index{1} << 32, 0}).numel(), 0);
}

TEST(BadCalls, OfEstimators) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  MovingAverage average;
  EXPECT_ERROR(ValueError, "MovingAverage::update: cost f64[2] holds a NaN",
               average.update(tensor({1, kNaN}, {2}, DType::f64)));
  EXPECT_ERROR(ValueError, "LearnedBaseline: predict is empty", LearnedBaseline(nullptr, {}));
}

}  // namespace
}  // namespace heed
