#include "../../../../core/kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../../core/kernels/elementwise/copy.h"
#include "../../../../core/kernels/reduce/reduce_simd.h"
#include "../../../support/every_simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

// Over the axes, by walking every place, in more digits than the kernels have.
std::vector<double> in_loops(Reduce op, const Array& x, const std::vector<Index>& axes) {
  const auto values = x.to(DType::f64).to_vector<double>();
  std::vector<bool> goes(static_cast<std::size_t>(x.rank()), axes.empty());
  for (const Index axis : axes) goes[static_cast<std::size_t>(axis)] = true;
  Index count = 1;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (!goes[static_cast<std::size_t>(axis)]) count *= x.size(axis);
  }
  const double start = op == Reduce::sum ? 0 : op == Reduce::max ? -HUGE_VAL : HUGE_VAL;
  std::vector<long double> out(static_cast<std::size_t>(count), start);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto rest = static_cast<Index>(i);
    Index to = 0, step = 1;
    for (Index axis = x.rank() - 1; axis >= 0; --axis) {
      const Index place = rest % x.size(axis);
      rest /= x.size(axis);
      if (goes[static_cast<std::size_t>(axis)]) continue;
      to += place * step;
      step *= x.size(axis);
    }
    long double& sum = out[static_cast<std::size_t>(to)];
    sum = op == Reduce::sum   ? sum + values[i]
          : op == Reduce::max ? std::max<long double>(sum, values[i])
                              : std::min<long double>(sum, values[i]);
  }
  return {out.begin(), out.end()};
}

void expect_like_loops(const Array& x, const std::vector<Index>& axes) {
  for (const Reduce op : {Reduce::sum, Reduce::max, Reduce::min}) {
    const auto found = reduce(op, x, axes, false).to(DType::f64).to_vector<double>();
    const auto expected = in_loops(op, x, axes);
    ASSERT_EQ(found.size(), expected.size());
    const double each = static_cast<double>(x.numel()) /
                        static_cast<double>(std::max<std::size_t>(found.size(), 1));
    const double room = op == Reduce::sum
                            ? (x.dtype() == DType::f32 ? 1e-6 : 1e-14) * (1 + std::sqrt(each)) * 8
                            : 0;
    // An expanded axis adds the same number again and again: roundings that do not cancel.
    const double same = room == 0 ? 0 : x.dtype() == DType::f32 ? 64 * 0x1p-23 : 64 * 0x1p-52;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], room + same * std::abs(expected[i]))
          << describe(x) << " " << i;
    }
  }
}

TEST(Reduce, EverySubsetOfAxesInAnyOrderOfStrides) {
  Generator generator(3);
  const Array base = generator.normal({3, 5, 2, 7}, 0, 1, DType::f64);
  std::vector<Index> order = {0, 1, 2, 3};
  do {
    const Array x = base.permute(order);
    for (unsigned subset = 1; subset < 16; ++subset) {
      std::vector<Index> axes;
      for (Index axis = 0; axis < 4; ++axis) {
        if (subset & (1U << axis)) axes.push_back(axis);
      }
      expect_like_loops(x, axes);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// Long enough for partial sums, for columns, for rows, in both dtypes.
TEST(Reduce, LargeOnes) {
  Generator generator(5);
  for (const DType dtype : {DType::f32, DType::f64}) {
    expect_like_loops(generator.normal({300007}, 0, 1, dtype), {});
    expect_like_loops(generator.normal({20011, 7}, 0, 1, dtype), {0});
    expect_like_loops(generator.normal({20011, 7}, 0, 1, dtype), {1});
    expect_like_loops(generator.normal({7, 20011}, 0, 1, dtype), {0});
    expect_like_loops(generator.normal({7, 20011}, 0, 1, dtype), {1});
    expect_like_loops(generator.normal({401, 509}, 0, 1, dtype), {0});
    expect_like_loops(generator.normal({401, 509}, 0, 1, dtype), {1});
    expect_like_loops(generator.normal({13, 1009, 11}, 0, 1, dtype), {1});
    expect_like_loops(generator.normal({13, 1009, 11}, 0, 1, dtype), {0, 2});
    expect_like_loops(generator.normal({101, 2, 997}, 0, 1, dtype), {0, 2});
    expect_like_loops(generator.normal({71, 2003}, 0, 1, dtype), {});
    expect_like_loops(generator.normal({2003, 71}, 0, 1, dtype).transpose(0, 1), {});
    expect_like_loops(generator.normal({67, 3, 997}, 0, 1, dtype).permute({2, 1, 0}), {0, 2});
  }
}

// The pieces of long ones, which are of 2^16 elements and more: a whole number of them, one element
// more, one less. All below 0, so that a piece of nothing would be seen.
TEST(Reduce, PiecesOfLongOnesEndWhereTheNumbersDo) {
  Generator generator(6);
  constexpr Index kPiece = Index{1} << 16;
  for (const Index length :
       {2 * kPiece - 1, 2 * kPiece, 2 * kPiece + 1, 3 * kPiece, 5 * kPiece - 1}) {
    const Array x = generator.uniform({length}, -2, -1, DType::f32);
    expect_like_loops(x, {});
    expect_like_loops(x.to(DType::f64), {});
    const Array whole = generator.uniform({length}, -99, -1, DType::f32).to(DType::i64);
    EXPECT_EQ(reduce(Reduce::max, whole, {}, false).item(), in_loops(Reduce::max, whole, {})[0]);
    EXPECT_EQ(reduce(Reduce::sum, whole, {}, false).item(), in_loops(Reduce::sum, whole, {})[0]);
  }
}

TEST(Reduce, LargeStridedAndExpandedOnes) {
  Generator generator(7);
  const Array base = generator.normal({211, 601}, 0, 1, DType::f64);
  expect_like_loops(base.transpose(0, 1), {0});
  expect_like_loops(base.transpose(0, 1), {1});
  expect_like_loops(base.slice(1, 3, 601, 7), {0});
  expect_like_loops(base.slice(1, 3, 601, 7), {1});
  expect_like_loops(base.slice(0, 1, 211, 3).slice(1, 0, 601, 2), {});
  expect_like_loops(base.select(0, 17).expand({307, 601}), {0});
  expect_like_loops(base.select(0, 17).expand({307, 601}), {1});
  expect_like_loops(base.select(0, 17).unsqueeze(1).expand({601, 307}), {0});
  expect_like_loops(base.select(0, 17).unsqueeze(1).expand({601, 307}), {1});
  expect_like_loops(base.select(1, 3), {});
}

// Of numbers near 1, so that it says something; a column is gathered in several pieces.
TEST(Reduce, ProductsOfRowsAndColumns) {
  Generator generator(13);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Array x = generator.uniform({1013, 3}, 0.99, 1.012, dtype);
    for (const Array& column : {x.select(1, 1), x.select(1, 2).contiguous()}) {
      double expected = 1;
      for (const double each : column.to(DType::f64).to_vector<double>()) expected *= each;
      const double found = reduce(Reduce::prod, column, {}, false).item();
      EXPECT_NEAR(found / expected, 1, dtype == DType::f32 ? 1e-4 : 1e-12);
    }
  }
}

TEST(Reduce, HandsNaNOn) {
  for (const Index place : {0, 1, 15, 16, 63, 64, 76}) {
    std::vector<float> values(77, -1);
    values[static_cast<std::size_t>(place)] = NAN;
    const Array x = Array::from(values);
    for (const Array& form : {x, x.unsqueeze(1), x.unsqueeze(1).expand({77, 3})}) {
      for (const Reduce op : {Reduce::max, Reduce::min, Reduce::sum}) {
        for (const float value : reduce(op, form, {0}, false).to_vector<float>())
          EXPECT_TRUE(std::isnan(value));
      }
    }
    EXPECT_EQ(argmax(x, 0, false).item(), place);
  }
}

// Long enough to ask for lines ahead; and to go by pieces, which are whole lines where they can be.
TEST(Reduce, HandsNaNOnFromAnyPlaceOfManyNumbers) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index count : {5003, 140'003}) {
      for (const Index place : {Index{0}, Index{1023}, count / 2, count - 2049, count - 1}) {
        std::vector<double> values(static_cast<std::size_t>(count), -1);
        values[static_cast<std::size_t>(place)] = NAN;
        const Array x = Array::from(values).to(dtype);
        for (const Reduce op : {Reduce::max, Reduce::min, Reduce::sum}) {
          EXPECT_TRUE(std::isnan(reduce(op, x, {0}, false).to(DType::f64).item()))
              << count << " " << place;
        }
      }
    }
  }
}

TEST(Reduce, ManyNumbersByPiecesAreAsByLoops) {
  Generator generator(59);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Array x = generator.normal({13, 9973}, 0, 1, dtype);
    expect_like_loops(x, {0, 1});
    expect_like_loops(x.slice(1, 3, 9970), {0, 1});
    expect_like_loops(generator.normal({2, 150'001}, 0, 1, dtype), {1});
    expect_like_loops(generator.normal({41, 3079}, 0, 1, dtype), {0, 1});
  }
}

// Rows of a few elements go many at a time.
TEST(Reduce, NarrowRows) {
  Generator generator(53);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Index width : {1, 2, 3, 5, 7}) {
      Array x = generator.normal({601, 11}, 0, 1, dtype).slice(1, 1, 1 + width);
      expect_like_loops(x, {1});
      Array place = x.slice(0, 263, 264).slice(1, width - 1, width);
      fill(place, nan);
      for (const Reduce op : {Reduce::sum, Reduce::max, Reduce::min, Reduce::prod}) {
        const auto found = reduce(op, x, {1}, false).to(DType::f64).to_vector<double>();
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(std::isnan(found[i]), i == 263);
      }
    }
  }
}

TEST(Reduce, OverNothing) {
  EXPECT_EQ(reduce(Reduce::sum, Array::zeros({0, 3}, DType::f32), {0}, false).to_vector<float>(),
            std::vector<float>(3, 0));
  EXPECT_EQ(reduce(Reduce::max, Array::zeros({0, 3}, DType::f32), {1}, true).shape(),
            (Shape{0, 1}));
  EXPECT_ERROR(ShapeError, "amax: no elements to reduce in f32[0, 3]",
               reduce(Reduce::max, Array::zeros({0, 3}, DType::f32), {0}, false));
  EXPECT_ERROR(ShapeError, "argmax: no elements to reduce in f32[3, 0]",
               argmax(Array::zeros({3, 0}, DType::f32), 1, false));
  EXPECT_EQ(argmax(Array::zeros({0, 3}, DType::f32), 1, false).shape(), (Shape{0}));
}

TEST(Reduce, ArgmaxTakesTheFirstOfEquals) {
  const Array x = Array::from(std::vector<double>{1, 7, 7, 2, 9, 9}, {2, 3});
  EXPECT_EQ(argmax(x, 1, false).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(argmax(x, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(argmax(x.transpose(0, 1), 0, false).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 1}));
  Generator generator(11);
  const Array large = generator.normal({97, 1009}, 0, 1, DType::f32);
  const auto found = argmax(large, 1, false).to_vector<std::int64_t>();
  const auto values = large.to_vector<float>();
  for (std::size_t row = 0; row < 97; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * 1009);
    EXPECT_EQ(found[row], std::max_element(begin, begin + 1009) - begin);
  }
}

TEST(Reduce, SumToUndoesBroadcasting) {
  Generator generator(13);
  const Array x = generator.normal({3, 5, 7}, 0, 1, DType::f64);
  EXPECT_EQ(sum_to(x, {5, 1}).to_vector<double>(),
            reduce(Reduce::sum, x, {0, 2}, false).to_vector<double>());
  EXPECT_EQ(sum_to(x, {5, 1}).shape(), (Shape{5, 1}));
  EXPECT_EQ(sum_to(x, {}).item(), reduce(Reduce::sum, x, {}, false).item());
  EXPECT_EQ(sum_to(Array::zeros({0, 3}, DType::f32), {3}).to_vector<float>(),
            std::vector<float>(3, 0));
}

// Rows of a few elements, many at a time: nothing is written behind the last.
template <class T>
void expect_rows_end() {
  Generator generator(29);
  for (const Index rows : {1, 3, 19, 257, 515}) {
    for (const Index n : {2, 5, 7}) {
      const Array x = generator.normal(Shape{rows, n}, 0, 1, dtype_of<T>);
      std::vector<T> to(static_cast<std::size_t>(rows) + 64, T{7});
      simd::reductions<T>().reduce_rows(Reduce::max, x.data<T>(), n, static_cast<std::size_t>(n),
                                        to.data(), 1, rows);
      for (Index i = 0; i < rows; ++i) {
        const T* const row = x.data<T>() + i * n;
        ASSERT_EQ(to[static_cast<std::size_t>(i)], *std::max_element(row, row + n)) << rows;
      }
      for (std::size_t i = static_cast<std::size_t>(rows); i < to.size(); ++i) {
        ASSERT_EQ(to[i], T{7}) << rows << ", place " << i;
      }
    }
  }
}

TEST(Reduce, NothingIsWrittenBehindTheLastOfManyRows) {
  under_every_simd([] {
    expect_rows_end<float>();
    expect_rows_end<double>();
  });
}

}  // namespace
}  // namespace heed::kernels
