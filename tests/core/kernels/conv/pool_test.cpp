// Rows of windows beside a walk over each window, under each set of vector instructions: with
// equals, NaN and infinities among the numbers.
#include "../../../../core/kernels/conv/pool.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/generator.h"
#include "../../../support/every_simd.h"

namespace heed::kernels {
namespace {

WindowAxis axis_of(Index in, Index kernel, Index stride, Index padding, Index dilation) {
  const Index reach = (kernel - 1) * dilation + 1;
  return {in, kernel, stride, padding, dilation, (in + 2 * padding - reach) / stride + 1};
}

// The place in a plane of the largest of one window: NaN wins, then the first of equals.
Index place_of(const double* plane, const WindowAxis& y, const WindowAxis& x, Index oy, Index ox) {
  Index best = -1;
  for (Index i = 0; i < y.kernel; ++i) {
    for (Index j = 0; j < x.kernel; ++j) {
      const Index iy = oy * y.stride - y.padding + i * y.dilation;
      const Index ix = ox * x.stride - x.padding + j * x.dilation;
      if (iy < 0 || iy >= y.in || ix < 0 || ix >= x.in) continue;
      const Index at = iy * x.in + ix;
      if (best < 0 || plane[at] > plane[best] ||
          (std::isnan(plane[at]) && !std::isnan(plane[best]))) {
        best = at;
      }
    }
  }
  return best;
}

void expect_largest(const Array& planes, const WindowAxis& y, const WindowAxis& x) {
  const Pooled found = max_pool(y, x, planes);
  const auto values = found.values.to(DType::f64).to_vector<double>();
  const auto places = found.indices.to_vector<std::int64_t>();
  const auto all = planes.to(DType::f64).to_vector<double>();
  std::size_t i = 0;
  for (Index p = 0; p < planes.size(0); ++p) {
    const double* const plane = all.data() + p * y.in * x.in;
    for (Index oy = 0; oy < y.out; ++oy) {
      for (Index ox = 0; ox < x.out; ++ox, ++i) {
        const Index place = place_of(plane, y, x, oy, ox);
        ASSERT_EQ(places[i], place) << "row " << oy << ", column " << ox;
        if (std::isnan(plane[place])) {
          ASSERT_TRUE(std::isnan(values[i]));
        } else {
          ASSERT_EQ(values[i], plane[place]);
        }
      }
    }
  }
}

// Few different numbers, so that many are equal; some are none.
Array planes_of(const Shape& shape, DType dtype) {
  Generator generator(13);
  std::vector<double> numbers = generator.normal(shape, 0, 1, DType::f64).to_vector<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::round(2 * numbers[i]) / 2;
    if (i % 53 == 7) numbers[i] = NAN;
    if (i % 31 == 3) numbers[i] = HUGE_VAL;
    if (i % 5 == 2) numbers[i] = -HUGE_VAL;
    if (i % 11 == 4) numbers[i] = -0.0;
  }
  return Array::from(numbers, shape).to(dtype);
}

TEST(MaxPoolKernel, IsTheLargestOfEachWindow) {
  under_every_simd([] {
    for (const DType dtype : {DType::f32, DType::f64}) {
      for (const Index width : {7, 17, 19, 37, 71, 131}) {
        const Array planes = planes_of({3, 11, width}, dtype);
        expect_largest(planes, axis_of(11, 2, 2, 0, 1), axis_of(width, 2, 2, 0, 1));
        expect_largest(planes, axis_of(11, 3, 2, 1, 1), axis_of(width, 3, 2, 1, 1));
        expect_largest(planes, axis_of(11, 5, 1, 2, 1), axis_of(width, 3, 1, 1, 1));
        expect_largest(planes, axis_of(11, 2, 3, 0, 3), axis_of(width, 3, 3, 1, 2));
        expect_largest(planes, axis_of(11, 1, 1, 0, 1), axis_of(width, 7, 1, 3, 1));
        expect_largest(planes, axis_of(11, 11, 1, 0, 1), axis_of(width, width, 1, 0, 1));
      }
    }
  });
}

TEST(MaxPoolKernel, OfNothingAboveMinusInfinityIsTheFirst) {
  const Array planes = Array::full({2, 3, 40}, -HUGE_VAL, DType::f32);
  expect_largest(planes, axis_of(3, 2, 1, 1, 1), axis_of(40, 3, 2, 1, 1));
}

}  // namespace
}  // namespace heed::kernels
