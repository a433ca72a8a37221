// Sequences of features: side by side, padded, and on one scale.
#pragma once

#include <vector>

#include "../core/array.h"

namespace heed::data {

/// Features of different lengths side by side.
struct PaddedFeatures {
  Array features;              ///< f32 [B, T, width], 0 behind a row's end
  std::vector<Index> lengths;  ///< B
};
/// Of f32 [T, width] each. Throws ValueError for none, ShapeError, DTypeError.
PaddedFeatures pad(const std::vector<Array>& features);

/// What makes features of mean 0 and variance 1: (x - mean) scale.
struct FeatureScale {
  Array mean, scale;  ///< f32 [width]
};
/// Of all rows of these, f32 [T, width] each; a variance counts as at least 1e-6. Throws ValueError
/// for no rows, ShapeError, DTypeError.
FeatureScale scale_of(const std::vector<Array>& features);

}  // namespace heed::data
