#include "../../../../attention/mechanisms/hard/glimpse_sensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../autograd/gradcheck.h"
#include "../../../../autograd/ops/elementwise/elementwise.h"
#include "../../../../autograd/ops/reduce/reduce.h"
#include "../../../../autograd/ops/shape/shape.h"
#include "../../../../autograd/ops/shape/slicing.h"
#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/parallel.h"
#include "../../../support/throws.h"
#include "../../numbers.h"

namespace heed::attention {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr Index kB = 3, kN = 5, kC = 2, kH = 11, kW = 7;

// Pixel by pixel, from the header's words.
std::vector<double> reference(const Tensor& images, const Tensor& centres, Index g, Index scales) {
  const Array x = images.array(), l = centres.array();
  const auto pixels = numbers(images), places = numbers(centres);
  const Index B = x.size(0), C = x.size(1), H = x.size(2), W = x.size(3), N = l.size(1);
  std::vector<double> out;
  for (Index b = 0; b < B; ++b) {
    for (Index n = 0; n < N; ++n) {
      const double* place = places.data() + (b * N + n) * 2;
      for (Index k = 0; k < scales; ++k) {
        const Index f = Index{1} << k;
        const auto nearest = [&](double at, Index size) {
          return std::floor((at + 1) / 2 * static_cast<double>(size) -
                            static_cast<double>(g * f) / 2 + 0.5);
        };
        const auto left = static_cast<Index>(nearest(place[0], W));
        const auto top = static_cast<Index>(nearest(place[1], H));
        for (Index c = 0; c < C; ++c) {
          for (Index i = 0; i < g * g; ++i) {
            double total = 0;
            for (Index p = 0; p < f * f; ++p) {
              const Index row = top + i / g * f + p / f, column = left + i % g * f + p % f;
              if (row < 0 || row >= H || column < 0 || column >= W) continue;
              total += pixels[static_cast<std::size_t>(((b * C + c) * H + row) * W + column)];
            }
            out.push_back(total / static_cast<double>(f * f));
          }
        }
      }
    }
  }
  return out;
}

// Some of them beyond the borders.
Tensor random_centres(const Shape& shape) { return randn(shape, DType::f64) * 0.8; }

TEST(GlimpseSensor, IsTheDefinition) {
  manual_seed(3);
  const Tensor images = randn({kB, kC, kH, kW}, DType::f64);
  for (const Index g : {1, 2, 3, 4, 13}) {
    for (const Index scales : {1, 2, 3, 5}) {
      const Tensor centres = random_centres({kB, kN, 2});
      const Tensor seen = glimpse_sensor(images, centres, g, scales);
      ASSERT_EQ(seen.shape(), (Shape{kB, kN, scales * kC * g * g}));
      EXPECT_THAT(numbers(seen), near(reference(images, centres, g, scales)))
          << g << " at " << scales << " scales";
    }
  }
}

TEST(GlimpseSensor, OneLookIsEachOfSeveral) {
  manual_seed(5);
  const Tensor images = randn({kB, kC, kH, kW}), centres = randn({kB, kN, 2});
  const Tensor all = glimpse_sensor(images, centres, 3, 2);
  for (Index n = 0; n < kN; ++n) {
    const Tensor one = glimpse_sensor(images, select(centres, 1, n), 3, 2);
    EXPECT_EQ(one.shape(), (Shape{kB, 2 * kC * 9}));
    EXPECT_EQ(one.array().to_vector<float>(), select(all, 1, n).array().to_vector<float>());
  }
}

// 4 x 6 pixels that count 0 .. 23.
TEST(GlimpseSensor, PlacesCountFromEdgeToEdge) {
  std::vector<double> pixels(24);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<double>(i);
  const Tensor image = tensor(pixels, {1, 1, 4, 6}, DType::f64);
  const auto seen = [&](double x, double y, Index scales = 1) {
    return numbers(glimpse_sensor(image, tensor({x, y}, {1, 2}, DType::f64), 2, scales));
  };
  EXPECT_THAT(seen(0, 0), ElementsAre(8, 9, 14, 15));  // the middle
  EXPECT_THAT(seen(-1, -1), ElementsAre(0, 0, 0, 0));  // its last pixel is the first one
  EXPECT_THAT(seen(1, -1), ElementsAre(0, 0, 5, 0));   // across, then down
  EXPECT_THAT(seen(-1, 1), ElementsAre(0, 18, 0, 0));
  EXPECT_THAT(seen(-2.0 / 3, -0.5), ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(seen(-2.0 / 3 + 0.16, -0.5), ElementsAre(0, 1, 6, 7));  // nearly half a pixel
  EXPECT_THAT(seen(-2.0 / 3 + 0.17, -0.5), ElementsAre(1, 2, 7, 8));  // and more
  EXPECT_THAT(seen(0, 0, 2), ElementsAre(8, 9, 14, 15, 4.5, 6.5, 16.5, 18.5));
}

TEST(GlimpseSensor, OutsideThereAreZeros) {
  const Tensor images = ones({kB, kC, kH, kW}, DType::f64);
  for (const double far : {3.0, -3.0, 1e300, -1e300}) {
    const Tensor x = glimpse_sensor(images, full({kB, 2}, far, DType::f64), 4, 3);
    EXPECT_THAT(numbers(x), Each(0.0)) << far;
  }
  // The whole image under one cell of 16 x 16.
  const Tensor whole = glimpse_sensor(images, zeros({kB, 2}, DType::f64), 1, 5);
  EXPECT_DOUBLE_EQ(numbers(whole).back(), static_cast<double>(kH * kW) / 256);
}

TEST(GlimpseSensor, GradientsReachTheImageToSecondOrder) {
  manual_seed(7);
  const Tensor centres = random_centres({kB, kN, 2});
  const auto seen = [&](const std::vector<Tensor>& x) {
    return glimpse_sensor(x[0] * x[0], centres, 3, 3);
  };
  const std::vector<Tensor> images{randn({kB, kC, kH, kW}, DType::f64)};
  const auto first = gradcheck(seen, images);
  EXPECT_TRUE(first) << first.text();
  const auto second = gradgradcheck(seen, images, {.max_elements = 41});
  EXPECT_TRUE(second) << second.text();
}

TEST(GlimpseSensor, PlacesGetNoGradient) {
  Tensor images = randn({kB, kC, kH, kW}), centres = randn({kB, 2});
  centres.set_requires_grad();
  EXPECT_FALSE(glimpse_sensor(images, centres, 3).requires_grad());
  images.set_requires_grad();
  sum(glimpse_sensor(images, centres, 3)).backward();
  EXPECT_TRUE(images.grad().defined());
  EXPECT_FALSE(centres.grad().defined());
}

TEST(GlimpseSensor, TakesAnyStridesAndNothing) {
  manual_seed(9);
  const Tensor images = randn({kB, kC, kH, kW}, DType::f64);
  const Tensor centres = random_centres({kB, kN, 2});
  const Tensor turned = transpose(images, 2, 3), swapped = transpose(centres, 0, 1);
  const Tensor copy = Tensor(turned.array().clone());
  EXPECT_EQ(numbers(glimpse_sensor(turned, transpose(swapped, 0, 1), 3, 2)),
            numbers(glimpse_sensor(copy, centres, 3, 2)));
  EXPECT_EQ(glimpse_sensor(zeros({0, kC, kH, kW}), zeros({0, 2}), 3).shape(), (Shape{0, kC * 9}));
  EXPECT_EQ(glimpse_sensor(zeros({kB, kC, kH, kW}), zeros({kB, 0, 2}), 3).shape(),
            (Shape{kB, 0, kC * 9}));
  EXPECT_THAT(
      numbers(glimpse_sensor(zeros({kB, 1, 0, kW}, DType::f64), zeros({kB, 2}, DType::f64), 2)),
      Each(0.0));
}

TEST(GlimpseSensor, ThreadsDoNotChangeABit) {
  manual_seed(11);
  Tensor images = randn({67, 1, 28, 28});
  images.set_requires_grad();
  const Tensor centres = randn({67, 4, 2}) * 0.5;
  const auto both = [&] {
    images.zero_grad();
    const Tensor seen = glimpse_sensor(images, centres, 8, 3);
    sum(seen * seen).backward();
    return std::pair(seen.array().to_vector<float>(), images.grad().array().to_vector<float>());
  };
  const int before = num_threads();
  set_num_threads(1);
  const auto one = both();
  set_num_threads(3);
  const auto three = both();
  set_num_threads(before);
  EXPECT_EQ(one, three);
}

TEST(GlimpseSensor, RefusesWhatItCannotLookAt) {
  const Tensor images = zeros({kB, kC, kH, kW}), centres = zeros({kB, 2});
  const auto call = [&](const Tensor& x, const Tensor& l, Index size = 3, Index scales = 1) {
    glimpse_sensor(x, l, size, scales);
  };
  EXPECT_ERROR(GradError, "glimpse_sensor: images is undefined", call(Tensor(), centres));
  EXPECT_ERROR(GradError, "glimpse_sensor: centres is undefined", call(images, Tensor()));
  EXPECT_ERROR(ShapeError, "glimpse_sensor: images must be [B, C, H, W], not f32[3, 11, 7]",
               call(zeros({kB, kH, kW}), centres));
  EXPECT_ERROR(ShapeError, "glimpse_sensor: centres must be [3, 2] or [3, N, 2], not f32[3, 3]",
               call(images, zeros({kB, 3})));
  EXPECT_ERROR_WITH(ShapeError, "f32[4, 2]", call(images, zeros({kB + 1, 2})));
  EXPECT_ERROR_WITH(ShapeError, "f32[2]", call(images, zeros({2})));
  EXPECT_ERROR(DTypeError,
               "glimpse_sensor: dtypes differ: images are f32[3, 2, 11, 7], centres f64[3, 2]",
               call(images, zeros({kB, 2}, DType::f64)));
  EXPECT_ERROR_WITH(DTypeError, "glimpse_sensor",
                    call(zeros({kB, kC, kH, kW}, DType::i64), centres));
  EXPECT_ERROR(
      ValueError,
      "glimpse_sensor: size 0 and scales 1 must be positive, and the largest side at most 65536",
      call(images, centres, 0));
  EXPECT_ERROR_WITH(ValueError, "glimpse_sensor: size 65537 and scales 1",
                    call(images, centres, 65537));
  for (const Index scales : {Index{0}, Index{17}, std::numeric_limits<Index>::max()}) {
    EXPECT_ERROR_WITH(ValueError, "glimpse_sensor: size 3 and scales",
                      call(images, centres, 3, scales));
  }
  for (const double bad : {NAN, INFINITY}) {
    EXPECT_ERROR(ValueError, "glimpse_sensor: centres must be finite",
                 call(images, full({kB, 2}, bad)));
  }
}

}  // namespace
}  // namespace heed::attention
