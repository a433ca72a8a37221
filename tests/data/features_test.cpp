#include "../../data/features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../support/throws.h"

namespace heed::data {
namespace {

TEST(FeatureScale, MakesMeansZeroAndVariancesOne) {
  const Array a = Array::from(std::vector<float>{1, 5, 3, 5}, {2, 2});
  const Array b = Array::from(std::vector<float>{8, 5}, {1, 2});
  const FeatureScale found = scale_of({a, Array::zeros({0, 2}, DType::f32), b});
  EXPECT_EQ(found.mean.to_vector<float>(), (std::vector<float>{4, 5}));
  const auto scale = found.scale.to_vector<float>();  // variances 26 / 3 and 0
  EXPECT_FLOAT_EQ(scale[0], std::sqrt(3.0f / 26));
  EXPECT_FLOAT_EQ(scale[1], 1000);
  EXPECT_ERROR(ValueError, "scale_of: no features", scale_of({}));
  EXPECT_ERROR(ShapeError, "scale_of: features must be [T, 2], not f32[1, 3]",
               scale_of({a, Array::zeros({1, 3}, DType::f32)}));
  EXPECT_ERROR(ShapeError, "scale_of: features must be [T, width], not f32[3]",
               scale_of({Array::zeros({3}, DType::f32)}));
  EXPECT_THROW(scale_of({Array::zeros({2, 3}, DType::f64)}), DTypeError);
}

TEST(PaddedFeatures, HaveZerosBehindARowsEnd) {
  const Array a = Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const Array b = Array::from(std::vector<float>{7, 8, 9}, {1, 3});
  const PaddedFeatures found = pad(std::vector<Array>{b, a});
  EXPECT_EQ(found.lengths, (std::vector<Index>{1, 2}));
  EXPECT_EQ(found.features.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(found.features.to_vector<float>(),
            (std::vector<float>{7, 8, 9, 0, 0, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_ERROR(ValueError, "pad: no features", pad(std::vector<Array>()));
  EXPECT_ERROR(ShapeError,
               "pad: features must be [T, width] of one width, not f32[1, 2] beside f32[2, 3]",
               pad(std::vector<Array>{a, Array::zeros({1, 2}, DType::f32)}));
  EXPECT_THROW(pad(std::vector<Array>{Array::zeros({2, 3}, DType::f64)}), DTypeError);
}

}  // namespace
}  // namespace heed::data
