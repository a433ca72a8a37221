// Of the first values of layers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "../../autograd/tensor.h"

namespace heed {

/// f32, within (-bound, bound), with a uniform distribution's variance up to a share of it.
inline void expect_uniform_within(const Tensor& tensor, double bound, double share = 0.05) {
  double most = 0, squares = 0;
  for (const float each : tensor.array().to_vector<float>()) {
    most = std::fmax(most, std::fabs(each));
    squares += static_cast<double>(each) * each;
  }
  const double variance = bound * bound / 3;
  EXPECT_LE(most, bound * (1 + 1e-6));
  EXPECT_NEAR(squares / static_cast<double>(tensor.numel()), variance, share * variance);
}

}  // namespace heed
