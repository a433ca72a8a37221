// Where extremes stand, whether any or all hold; and reductions of integers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/reduce/extreme.h"
#include "../../../../core/kernels/reduce/reduce.h"
#include "../../../support/every_simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

using Ids = std::vector<std::int64_t>;
using Truths = std::vector<bool>;

TEST(ReducePlaces, TheFirstOfEqualsAndOfNaNs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x = Array::from(std::vector<double>{3, 1, 1, 3, 2, nan, 5, nan}, {2, 4});
  EXPECT_EQ(argmin(x, 1, false).to_vector<std::int64_t>(), (Ids{1, 1}));
  EXPECT_EQ(argmax(x, 1, false).to_vector<std::int64_t>(), (Ids{0, 1}));
  EXPECT_EQ(argmin(x, -2, true).shape(), (Shape{1, 4}));
  EXPECT_EQ(argmin(x, 0, false).to_vector<std::int64_t>(), (Ids{1, 1, 0, 1}));
  const Array whole = x.slice(0, 0, 1).to(DType::i64);
  EXPECT_EQ(argmin(whole, 1, false).to_vector<std::int64_t>(), Ids{1});
  EXPECT_EQ(argmax(Array::from(Truths{false, true, true}), 0, false).item(), 1);
  EXPECT_ERROR(ShapeError, "argmin: no elements to reduce in f64[2, 0]",
               argmin(x.slice(1, 0, 0), 1, false, "argmin"));
  EXPECT_ERROR(ShapeError, "argmax: axis 2 is out of range for rank 2", argmax(x, 2, false));
}

TEST(ReducePlaces, OfLongAxesAndManyRows) {
  Generator generator(3);
  for (const Shape& shape : {Shape{3, 40009}, Shape{40009, 3}, Shape{301, 307}}) {
    const Array x = generator.normal(shape, 0, 1, DType::f32);
    for (const Index axis : {0, 1}) {
      const auto most = argmax(x, axis, false).to_vector<std::int64_t>();
      const auto least = argmin(x, axis, false).to_vector<std::int64_t>();
      for (std::size_t i = 0; i < most.size(); ++i) {
        const auto row = x.select(1 - axis, static_cast<Index>(i)).to_vector<float>();
        ASSERT_EQ(most[i], std::max_element(row.begin(), row.end()) - row.begin());
        ASSERT_EQ(least[i], std::min_element(row.begin(), row.end()) - row.begin());
      }
    }
  }
}

// Rows are looked through by blocks: equals in two of them, NaN behind what is larger, infinities.
TEST(ReducePlaces, TheFirstOfEqualsInLongRows) {
  under_every_simd([] {
    const Index n = 3 * 4096 + 17;
    Array x = Array::full({2, n}, 1, DType::f32);
    float* const row = x.mutable_data<float>() + n;
    const auto places = [&] {
      const Array second = x.slice(0, 1, 2);
      return Ids{static_cast<Index>(argmax(second, 1, false).item()),
                 static_cast<Index>(argmin(second, 1, false).item())};
    };
    EXPECT_EQ(places(), (Ids{0, 0}));
    row[4099] = row[9001] = 2;
    row[8191] = row[n - 1] = -3;
    EXPECT_EQ(places(), (Ids{4099, 8191}));
    row[n - 2] = HUGE_VALF;
    row[n - 5] = -HUGE_VALF;
    EXPECT_EQ(places(), (Ids{n - 2, n - 5}));
    row[8192] = row[8193] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(places(), (Ids{8192, 8192}));
    EXPECT_EQ(argmax(x, 1, false).to_vector<std::int64_t>(), (Ids{0, 8192}));
  });
  const Array nothing = Array::full({4099}, -HUGE_VAL, DType::f64);
  EXPECT_EQ(argmax(nothing, 0, false).item(), 0);
  EXPECT_EQ(argmin(nothing.slice(0, 0, 1), 0, false).item(), 0);
  const Array zeros = Array::from(std::vector<double>{-1, -0.0, 0.0, -0.0}, {4});
  EXPECT_EQ(argmax(zeros, 0, false).item(), 1);
  EXPECT_EQ(argmin(zeros.slice(0, 1, 4), 0, false).item(), 0);
}

TEST(ReducePlaces, AnyAndAllHold) {
  const Array x = Array::from(std::vector<double>{0, 0, 0, 0, 2, 0, 3, NAN, -1}, {3, 3});
  EXPECT_EQ(any(x, {1}, false).to_vector<bool>(), (Truths{false, true, true}));
  EXPECT_EQ(all(x, {1}, false).to_vector<bool>(), (Truths{false, false, true}));
  EXPECT_EQ(any(x, {0}, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(all(x, {-2}, false).to_vector<bool>(), (Truths{false, false, false}));
  EXPECT_EQ(any(x, {}, false).to_vector<bool>(), Truths{true});
  EXPECT_EQ(any(x.slice(0, 0, 0), {0}, false).to_vector<bool>(), (Truths{false, false, false}));
  EXPECT_EQ(all(x.slice(0, 0, 0), {0}, false).to_vector<bool>(), (Truths{true, true, true}));
  Array large = Array::full({701, 3, 101}, 1, DType::boolean);
  large.mutable_data<bool>()[(700 * 3 + 2) * 101 + 100] = false;
  const auto found = all(large, {0, 2}, false).to_vector<bool>();
  EXPECT_EQ(found, (Truths{true, true, false}));
  EXPECT_EQ(any(large.slice(0, 700, 701), {1}, false).numel(), 101);
}

TEST(ReduceIntegers, ExactlyAndAlongAnyAxes) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 53) + 1;
  const Array x = Array::from(Ids{kBig, 2, -3, 4, 0, -7}, {2, 3});
  const auto of = [&](Reduce op, const std::vector<Index>& axes) {
    return reduce(op, x, axes, false).to_vector<std::int64_t>();
  };
  EXPECT_EQ(of(Reduce::sum, {1}), (Ids{kBig - 1, -3}));
  EXPECT_EQ(of(Reduce::sum, {0}), (Ids{kBig + 4, 2, -10}));
  EXPECT_EQ(of(Reduce::prod, {1}), (Ids{-6 * kBig, 0}));
  EXPECT_EQ(of(Reduce::max, {1}), (Ids{kBig, 4}));
  EXPECT_EQ(of(Reduce::min, {1}), (Ids{-3, -7}));
  EXPECT_EQ(of(Reduce::max, {0}), (Ids{kBig, 2, -3}));
  EXPECT_EQ(reduce(Reduce::sum, x, {1}, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(reduce(Reduce::prod, x.slice(1, 0, 0), {1}, false).to_vector<std::int64_t>(),
            (Ids{1, 1}));
  EXPECT_EQ(reduce(Reduce::sum, x.slice(1, 0, 0), {1}, false).to_vector<std::int64_t>(),
            (Ids{0, 0}));
  EXPECT_ERROR(ShapeError, "amin: no elements to reduce in i64[2, 0]",
               reduce(Reduce::min, x.slice(1, 0, 0), {1}, false));
  EXPECT_ERROR(ShapeError, "amax: no elements to reduce in i64[2, 0]",
               reduce(Reduce::max, x.slice(1, 0, 0), {1}, false));
  EXPECT_EQ(reduce(Reduce::max, x.slice(0, 0, 0), {1}, false).shape(), Shape{0});
  const Array truths = Array::from(Truths{true, false, true, true}, {2, 2});
  EXPECT_EQ(reduce(Reduce::sum, truths, {}, false).item(), 3);
  EXPECT_EQ(reduce(Reduce::max, truths, {1}, false).to_vector<bool>(), (Truths{true, true}));
  EXPECT_EQ(reduce(Reduce::min, truths, {1}, false).to_vector<bool>(), (Truths{false, true}));
}

TEST(ReduceAxes, AreSortedAndNamedOnce) {
  EXPECT_EQ(normalize_axes("sum", {-1, 0}, 3), (std::vector<Index>{0, 2}));
  EXPECT_EQ(normalize_axes("sum", {}, 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_ERROR(ShapeError, "sum: axis 2 is named twice", normalize_axes("sum", {2, 0, -1}, 3));
  EXPECT_ERROR(ShapeError, "sum: axis 3 is out of range for rank 3",
               normalize_axes("sum", {0, 3}, 3));
  EXPECT_EQ(reduced_shape({3, 5, 7}, {0, 2}, false), Shape{5});
  EXPECT_EQ(reduced_shape({3, 5, 7}, {0, 2}, true), (Shape{1, 5, 1}));
}

TEST(ReduceProducts, OverAnyAxis) {
  Generator generator(5);
  const Array x = generator.uniform({3, 7, 5}, 0.5, 1.5, DType::f64);
  for (const Index axis : {0, 1, 2}) {
    const Array found = reduce(Reduce::prod, x, {axis}, false);
    Array expected = x.select(axis, 0).clone();
    for (Index i = 1; i < x.size(axis); ++i) {
      Array next = x.select(axis, i).contiguous();
      for (Index k = 0; k < expected.numel(); ++k) {
        expected.mutable_data<double>()[k] *= next.data<double>()[k];
      }
    }
    for (Index k = 0; k < expected.numel(); ++k) {
      EXPECT_NEAR(found.data<double>()[k], expected.data<double>()[k], 1e-14);
    }
  }
  EXPECT_EQ(reduce(Reduce::prod, Array::zeros({0, 2}, DType::f32), {0}, false).to_vector<float>(),
            (std::vector<float>{1, 1}));
}

// What comes back to an extreme is shared by all that are equal to it.
TEST(ExtremeGrad, IsSharedByEquals) {
  const auto grad = [](const std::vector<double>& row, double top) {
    const auto n = static_cast<Index>(row.size());
    return extreme_grad(Array::from(row, {1, n}), Array::from(std::vector<double>{top}, {1, 1}),
                        Array::from(std::vector<double>{6}, {1, 1}))
        .to_vector<double>();
  };
  using V = std::vector<double>;
  EXPECT_EQ(grad({1, 5, 2}, 5), (V{0, 6, 0}));
  EXPECT_EQ(grad({5, 5, 2}, 5), (V{3, 3, 0}));
  EXPECT_EQ(grad({5, 5, 5}, 5), (V{2, 2, 2}));
  EXPECT_EQ(grad({5, 2}, 5), (V{6, 0}));
  EXPECT_EQ(grad({2, 5}, 5), (V{0, 6}));
  EXPECT_EQ(grad({5, 5}, 5), (V{3, 3}));
  for (const double x : grad({1, NAN}, NAN)) EXPECT_TRUE(std::isnan(x));
  for (const double x : grad({1, NAN, 2}, NAN)) EXPECT_TRUE(std::isnan(x));
}

}  // namespace
}  // namespace heed::kernels
