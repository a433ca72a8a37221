// What elementwise kernels refuse, and where their numbers end.
#include <gtest/gtest.h>

#include <cmath>

#include "../../../../core/error.h"
#include "../../../../core/kernels/elementwise/elementwise.h"
#include "../../../../core/kernels/elementwise/libm.h"
#include "../../../support/every_simd.h"
#include "../../../support/throws.h"

namespace heed::kernels {
namespace {

TEST(Elementwise, SaysWhatIsNoBoolAndWhatIsUndefined) {
  const Array x = Array::zeros({4}, DType::f64), p = Array::zeros({4}, DType::boolean), none;
  EXPECT_ERROR(DTypeError, "logical_and: takes bool, not f64[4]", logical_and(x, p));
  EXPECT_ERROR(DTypeError, "logical_or: takes bool, not f64[4]", logical_or(p, x));
  EXPECT_ERROR(DTypeError, "logical_xor: takes bool, not undefined", logical_xor(none, p));
  EXPECT_ERROR(DTypeError, "logical_not: takes bool, not undefined", logical_not(none));
  EXPECT_ERROR(DTypeError, "where: takes bool, not f64[4]", where(x, x, x));
  const Array narrow = Array::zeros({4}, DType::bf16);
  EXPECT_ERROR(DTypeError, "add: dtypes differ: x is undefined, y is bf16[4]",
               binary(Binary::add, none, narrow));
  EXPECT_ERROR(DTypeError, "compare: dtypes differ: x is bf16[4], y is undefined",
               compare(Compare::eq, narrow, none));
  EXPECT_ERROR(DTypeError, "where: dtypes differ: x is f64[4], y is undefined", where(p, x, none));
  EXPECT_ERROR(DTypeError,
               "atan2: dtypes differ: x is f64[4], y is bf16[4]: convert one, to(y, DType::f64)",
               libm(LibmOfTwo::atan2, x, narrow));
}

// Of the divisor's sign, as Python's, also of fractions and by them.
TEST(Elementwise, RemaindersHaveTheSignOfTheDivisor) {
  const Array x = Array::from<double>({0.75, -0.75, 0.75, -0.75, 5.25, -5.25, 0, 3}),
              y = Array::from<double>({0.5, 0.5, -0.5, -0.5, 2, 2, -2, 3});
  EXPECT_EQ(libm(LibmOfTwo::remainder, x, y).to_vector<double>(),
            (std::vector<double>{0.25, 0.25, -0.25, -0.25, 1.25, 0.75, 0, 0}));
  const Array i = Array::from<std::int64_t>({7, -7, 7, -7, 6, 5, 5}),
              j = Array::from<std::int64_t>({3, 3, -3, -3, -3, 0, -1});
  EXPECT_EQ(libm(LibmOfTwo::remainder, i, j).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 2, -2, -1, 0, 0, 0}));
}

// Results that are no normal numbers any more keep what digits are left.
TEST(Exponential, OfF32GoesDownToTheSmallestNumbers) {
  under_every_simd([] {
    for (double at = -86; at > -106; at -= 0.0625) {
      const std::vector<float> x(19, static_cast<float>(at));
      for (const float y : unary(Unary::exp, Array::from(x)).to_vector<float>()) {
        ASSERT_NEAR(y, std::exp(at), std::exp(at) * 0x1p-22 + 0x1p-149) << at;
      }
    }
  });
}

}  // namespace
}  // namespace heed::kernels
