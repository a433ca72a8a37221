#include "../../../../core/kernels/reduce/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "../../../../core/generator.h"
#include "../../../../core/kernels/elementwise/copy.h"
#include "../../../../core/kernels/reduce/finite_simd.h"

namespace heed::kernels {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Writes one element in place, as an optimizer would.
void put(const Array& x, Index place, double value) {
  Array one = x.reshape({x.numel()}).slice(0, place, place + 1);
  fill(one, value);
  one.bump_version();
}

TEST(AllFinite, FindsOneAtAnyPlaceOfARun) {
  for (Index n = 0; n < 40; ++n) {
    std::vector<float> x(static_cast<std::size_t>(n), 3e38F);
    EXPECT_TRUE(simd::finite<float>().all(n, x.data()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (const float bad : {NAN, INFINITY, -INFINITY}) {
        x[i] = bad;
        EXPECT_FALSE(simd::finite<float>().all(n, x.data())) << n << ", " << i;
      }
      x[i] = 3e38F;
    }
  }
}

TEST(AllFinite, FindsOneAnywhere) {
  Generator generator(17);
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const double bad : {kNaN, kInfinity, -kInfinity}) {
      for (const Index place : {0, 7, 70000, 150007}) {
        const Array x = generator.normal({150011}, 0, 1, dtype);
        EXPECT_TRUE(all_finite(x));
        put(x, place, bad);
        EXPECT_FALSE(all_finite(x)) << place;
        put(x, place, 1);
        EXPECT_TRUE(all_finite(x));
      }
    }
  }
}

// What is beside a view does not count, though all of the storage may have been read.
TEST(AllFinite, OfAViewIsItsOwn) {
  Generator generator(19);
  const Array x = generator.normal({31, 3, 37}, 0, 1, DType::f32);
  put(x, 37, kNaN);  // row 0, part 1
  EXPECT_FALSE(all_finite(x));
  EXPECT_TRUE(all_finite(x.slice(1, 0, 1)));
  EXPECT_FALSE(all_finite(x.slice(1, 1, 2)));
  EXPECT_TRUE(all_finite(x.slice(1, 2, 3)));
  EXPECT_TRUE(all_finite(x.slice(0, 1, 31).transpose(0, 2)));
  EXPECT_FALSE(all_finite(x.transpose(0, 2)));
}

TEST(AllFinite, IsRememberedUntilTheNextWrite) {
  const Array x = Array::zeros({101, 13}, DType::f64);
  EXPECT_FALSE(x.storage()->known_finite());
  EXPECT_TRUE(all_finite(x.slice(1, 3, 8)));
  EXPECT_TRUE(x.storage()->known_finite());
  put(x, 5, kInfinity);
  EXPECT_FALSE(x.storage()->known_finite());
  EXPECT_FALSE(all_finite(x));
}

TEST(AllFinite, NumbersThatCannotBeElse) {
  EXPECT_TRUE(all_finite(Array::zeros({0}, DType::f32)));
  EXPECT_TRUE(all_finite(Array::full({7}, 3, DType::i64)));
  // A sum that overflows is no infinity among the terms.
  EXPECT_TRUE(all_finite(Array::full({5, 11}, 3e38, DType::f32).transpose(0, 1)));
}

}  // namespace
}  // namespace heed::kernels
