#include "../../train/middles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../support/throws.h"

namespace heed::train {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Middles, AreWhereHalfIsReached) {
  const std::vector<double> weights = {0, 0, 3, 0,    //
                                       1, 1, 1, 1,    //
                                       0, 1, 3, 0,    //
                                       0, 0, 0, 0.5,  //
                                       2, 0, 0, 2,    //
                                       0, 0, 0, 0};
  EXPECT_THAT(middles(Array::from(weights, {6, 4})),
              ElementsAre(2.5, 2, DoubleEq(2 + 1.0 / 3), 3.5, 1, 0));
  const std::vector<float> narrow = {1, 2, 1};
  EXPECT_THAT(middles(Array::from(narrow, {1, 3})), ElementsAre(1.5));
  EXPECT_THAT(middles(Array::zeros({0, 3}, DType::f32)), IsEmpty());
}

TEST(Middles, TakeWhatIsNoWeightForNothing) {
  const std::vector<double> weights = {std::nan(""), -5, 0, 2, INFINITY};
  EXPECT_THAT(middles(Array::from(weights, {1, 5})), ElementsAre(3.5));
  EXPECT_ERROR(DTypeError, "middles: weights must be f32 or f64, not i64[1, 2]",
               middles(Array::zeros({1, 2}, DType::i64)));
  EXPECT_ERROR(ShapeError, "middles: weights must be [rows, places], not f32[3]",
               middles(Array::zeros({3}, DType::f32)));
}

}  // namespace
}  // namespace heed::train
