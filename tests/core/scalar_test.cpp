#include "../../core/scalar.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "../../core/error.h"
#include "../../core/precision.h"
#include "../support/throws.h"

namespace heed {
namespace {

TEST(Scalar, KnowsHowItWasWritten) {
  const Scalar whole = 3, truth = true, point = 2.5, single = 2.5F;
  EXPECT_EQ(whole.dtype(), DType::i64);
  EXPECT_EQ(whole.whole(), 3);
  EXPECT_EQ(whole.value(), 3.0);
  EXPECT_EQ(truth.dtype(), DType::boolean);
  EXPECT_EQ(truth.whole(), 1);
  EXPECT_EQ(truth.value(), 1.0);
  EXPECT_EQ(point.dtype(), DType::f32);
  EXPECT_EQ(point.value(), 2.5);
  EXPECT_EQ(point.whole(), 0);
  EXPECT_EQ(single.dtype(), DType::f32);
  EXPECT_EQ(Scalar(INT64_MAX).whole(), INT64_MAX) << "which no double holds";
}

TEST(VisitFloating, TakesWhatIsComputedInAndNamesTheOperator) {
  const auto size = [](DType dtype) {
    return visit_floating("sin", dtype, [](auto zero) { return sizeof zero; });
  };
  EXPECT_EQ(size(DType::f32), 4U);
  EXPECT_EQ(size(DType::f64), 8U);
  EXPECT_ERROR(DTypeError, "sin: takes f32 or f64, not bf16: say x.to(DType::f32)",
               size(DType::bf16));
  EXPECT_ERROR(DTypeError, "sin: takes f32 or f64, not i64", size(DType::i64));
  EXPECT_ERROR(DTypeError, "sin: takes f32 or f64, not bool", size(DType::boolean));
}

TEST(VisitDType, CallsWithTheTypeOfTheElements) {
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::boolean, DType::bf16}) {
    EXPECT_EQ(visit_dtype(dtype, [](auto zero) { return dtype_of<decltype(zero)>; }), dtype);
  }
}

TEST(PrecisionName, IsThatOfTheNumbers) {
  EXPECT_STREQ(name(Precision::f32), "f32");
  EXPECT_STREQ(name(Precision::bf16), "bf16");
  EXPECT_EQ(precision(), Precision::f32) << "where nobody says otherwise";
}

}  // namespace
}  // namespace heed
