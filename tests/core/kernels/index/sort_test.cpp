#include "../../../../core/kernels/index/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../../../../core/generator.h"

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
    for (const Index count : {Index{0}, Index{1}, Index{2}, Index{10}, size / 9, size}) {
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

}  // namespace
}  // namespace heed::kernels
