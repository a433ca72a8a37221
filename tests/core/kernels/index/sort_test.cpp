#include "../../../../core/kernels/index/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../../core/error.h"
#include "../../../../core/generator.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

// NaN is the greatest.
bool before(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// By a stable sort of the whole row.
std::vector<std::int64_t> in_order(const std::vector<double>& row, Index count, bool descending,
                                   bool sorted) {
  std::vector<std::int64_t> out(row.size());
  std::iota(out.begin(), out.end(), 0);
  std::stable_sort(out.begin(), out.end(), [&](std::int64_t i, std::int64_t k) {
    const double a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(k)];
    return descending ? before(b, a) : before(a, b);
  });
  out.resize(static_cast<std::size_t>(count));
  if (!sorted) std::sort(out.begin(), out.end());
  return out;
}

// Short rows are selected from as a whole, long ones are read past what is held: with many equals,
// NaNs among them, rising, and falling.
TEST(Sort, FirstPlacesAreThoseOfAStableSort) {
  Generator generator(3);
  std::vector<std::vector<double>> rows;
  for (const Index size : {1, 2, 17, 100, 613, 5003}) {
    auto values = generator.normal({size}, 0, 4, DType::f32).to(DType::f64).to_vector<double>();
    rows.push_back(values);
    for (double& value : values) value = std::round(value);
    rows.push_back(values);
    std::sort(values.begin(), values.end());
    rows.push_back(values);
    std::reverse(values.begin(), values.end());
    rows.push_back(values);
    for (std::size_t i = 0; i < values.size(); i += 5) values[i] = NAN;
    rows.push_back(values);
    rows.push_back(std::vector<double>(values.size(), NAN));
  }
  for (const auto& row : rows) {
    const auto size = static_cast<Index>(row.size());
    for (const Index count :
         {Index{0}, Index{1}, Index{2}, Index{10}, Index{32}, Index{33}, size / 9, size}) {
      if (count > size) continue;
      for (const bool descending : {false, true}) {
        for (const bool sorted : {false, true}) {
          const auto expected = in_order(row, count, descending, sorted);
          for (const DType dtype : {DType::f32, DType::f64}) {
            const Array x = Array::from(row).to(dtype);
            const auto found =
                first_places("test", x, 0, count, descending, sorted).to_vector<std::int64_t>();
            ASSERT_EQ(found, expected) << size << " " << count << " " << descending << sorted;
          }
        }
      }
    }
  }
}

TEST(Sort, OrdersEveryDTypeAlongAnyAxis) {
  const auto places = [](const Array& x, Index axis, bool descending) {
    return first_places("sort", x, axis, x.size(axis), descending, true).to_vector<std::int64_t>();
  };
  using Ids = std::vector<std::int64_t>;
  const Array whole = Array::from(Ids{3, -1, INT64_MIN, INT64_MAX, 3}, {5});
  EXPECT_EQ(places(whole, 0, false), (Ids{2, 1, 0, 4, 3}));
  EXPECT_EQ(places(whole, -1, true), (Ids{3, 0, 4, 1, 2}));
  EXPECT_EQ(places(Array::from(std::vector<bool>{true, false, true, false}), 0, false),
            (Ids{1, 3, 0, 2}));
  const Array zeros = Array::from(std::vector<double>{0.0, -0.0, -1, 0.0});
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    EXPECT_EQ(places(zeros.to(dtype), 0, false), (Ids{2, 0, 1, 3})) << "both zeros are one";
    EXPECT_EQ(places(zeros.to(dtype), 0, true), (Ids{0, 1, 3, 2}));
  }
  const Array x = Array::from(std::vector<double>{5, 1, 2, 6, 3, 4}, {2, 3});
  EXPECT_EQ(places(x, 0, false), (Ids{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(places(x, 1, false), (Ids{1, 2, 0, 1, 2, 0}));
  const Array first = first_places("topk", x.unsqueeze(2), 1, 2, true, true);
  EXPECT_EQ(first.shape(), (Shape{2, 2, 1}));
  EXPECT_EQ(first.to_vector<std::int64_t>(), (Ids{0, 2, 0, 2}));
}

TEST(Sort, TakesAsManyAsThereAre) {
  const Array x = Array::zeros({3, 5}, DType::f32);
  EXPECT_EQ(first_places("topk", x, 1, 0, true, true).shape(), (Shape{3, 0}));
  EXPECT_EQ(first_places("topk", x, 1, 5, true, false).shape(), (Shape{3, 5}));
  EXPECT_EQ(first_places("topk", x.slice(0, 0, 0), 1, 2, true, false).shape(), (Shape{0, 2}));
  EXPECT_ERROR(ValueError, "topk: k 6 is not in [0, 5]", first_places("topk", x, 1, 6, true, true));
  EXPECT_ERROR(ValueError, "topk: k -1 is not in [0, 5]",
               first_places("topk", x, 1, -1, true, true));
  EXPECT_ERROR(ShapeError, "topk: axis 2 is out of range for rank 2",
               first_places("topk", x, 2, 1, true, true));
}

TEST(Median, IsTheLowerOneOrTheFirstNaN) {
  const auto place = [](const std::vector<double>& row) {
    return median_places(Array::from(row), 0).item();
  };
  EXPECT_EQ(place({7}), 0);
  EXPECT_EQ(place({3, 1}), 1);
  EXPECT_EQ(place({3, 1, 2}), 2);
  EXPECT_EQ(place({4, 1, 3, 2}), 3);
  EXPECT_EQ(place({2, 2, 2}), 1);
  EXPECT_EQ(place({1, NAN, 3, NAN}), 1);
  const Array x = Array::from(std::vector<double>{9, 1, 8, 2, 7, 3}, {2, 3});
  EXPECT_EQ(median_places(x, 1).shape(), (Shape{2, 1}));
  EXPECT_EQ(median_places(x, -1).to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(median_places(x, 0).to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_ERROR(ShapeError, "median: no elements to reduce in f64[2, 0]",
               median_places(x.slice(1, 0, 0), 1));
  EXPECT_ERROR(ShapeError, "median: axis 2 is out of range for rank 2", median_places(x, 2));
}

}  // namespace
}  // namespace heed::kernels
