// Drawing places by their running sums, against a plain search along each row.
#include "../../../autograd/stochastic/inverse_cdf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../../core/core.h"

namespace heed {
namespace {

constexpr Index kRows = 5;

// Multiples of 1/256, whose sums are exact in any order, many of them 0: in the first half of row 1
// and the last half of row 2; rows 3 and 4 have one place each, the last and the first.
std::vector<double> some_rows(Index places) {
  Generator generator(static_cast<std::uint64_t>(places));
  std::vector<double> p;
  for (Index row = 0; row < kRows; ++row) {
    for (Index i = 0; i < places; ++i) {
      const bool none = (row == 1 && i < places / 2) || (row == 2 && i > places / 2) ||
                        (row == 3 && i < places - 1) || (row == 4 && i > 0);
      const Index least = row > 2 || i == places / 2 ? 1 : 0;
      p.push_back(none ? 0 : static_cast<double>(least + generator.below(4)) / 256);
    }
  }
  return p;
}

// The first place whose running sum passes u times the whole; else the last that can be.
Index searched(const double* p, Index places, double u) {
  double whole = 0, sum = 0;
  for (Index i = 0; i < places; ++i) whole += p[i];
  Index last = 0;
  for (Index i = 0; i < places; ++i) {
    sum += p[i];
    if (p[i] > 0) last = i;
    if (sum > u * whole) return i;
  }
  return last;
}

TEST(InverseCdf, IsTheFirstPlaceWhoseRunningSumPassesTheNumber) {
  std::vector<double> u = {std::nextafter(1.0, 0.0), 1};
  for (Index k = 0; k < 64; ++k) u.push_back(static_cast<double>(k) / 64);
  std::vector<double> for_rows;
  for (const double each : u) for_rows.insert(for_rows.end(), kRows, each);
  const auto draws = static_cast<Index>(u.size());
  for (const Index places : {1, 2, 7, 16, 17, 31, 33, 53, 97}) {
    const std::vector<double> p = some_rows(places);
    std::vector<Index> wanted;
    for (const double each : u) {
      for (Index row = 0; row < kRows; ++row) {
        wanted.push_back(searched(p.data() + row * places, places, each));
      }
    }
    for (const DType dtype : {DType::f32, DType::f64}) {
      const Array drawn = inverse_cdf(Array::from(p, {kRows, places}).to(dtype),
                                      Array::from(for_rows, {draws, kRows}));
      EXPECT_EQ(drawn.shape(), (Shape{draws, kRows}));
      EXPECT_EQ(drawn.to_vector<Index>(), wanted) << places;
    }
  }
}

TEST(InverseCdf, ChecksTheSumsOfLongRows) {
  for (const Index places : {13, 29, 67}) {
    std::vector<double> p(static_cast<std::size_t>(places), 1.0 / static_cast<double>(places));
    EXPECT_NO_THROW(check_probabilities("it", Array::from(p)));
    for (std::size_t i = 0; i < p.size(); ++i) {
      std::vector<double> less = p;
      less[i] = 0;
      EXPECT_THROW(check_probabilities("it", Array::from(less)), ValueError) << i;
    }
  }
}

}  // namespace
}  // namespace heed
