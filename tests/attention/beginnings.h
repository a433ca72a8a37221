// How parameters begin: numbers that were drawn, against what was to be drawn.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numbers.h"

namespace heed::attention {

struct Moments {
  double mean = 0, deviation = 0, least = 0, most = 0, count = 0;
};

inline Moments moments(const Tensor& x) {
  Moments out;
  const Numbers all = x.array().to(DType::f64).to_vector<double>();
  if (all.empty()) return out;
  out.count = static_cast<double>(all.size());
  for (const double each : all) out.mean += each / out.count;
  for (const double each : all) out.deviation += std::pow(each - out.mean, 2) / out.count;
  out.deviation = std::sqrt(out.deviation);
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  out.least = *least;
  out.most = *most;
  return out;
}

/// Evenly from -bound to bound: hundreds of numbers come near to both ends, and none goes beyond.
inline void expect_even(const Tensor& x, double bound) {
  const Moments of = moments(x);
  ASSERT_GE(of.count, 300);
  EXPECT_GE(of.least, -bound * (1 + 1e-6));
  EXPECT_LE(of.most, bound * (1 + 1e-6));
  EXPECT_LT(of.least, -0.93 * bound);
  EXPECT_GT(of.most, 0.93 * bound);
}

/// Normal, around 0.
inline void expect_normal(const Tensor& x, double deviation) {
  const Moments of = moments(x);
  ASSERT_GE(of.count, 300);
  EXPECT_NEAR(of.deviation / deviation, 1, 5 / std::sqrt(2 * of.count));
  EXPECT_NEAR(of.mean / deviation, 0, 5 / std::sqrt(of.count));
}

}  // namespace heed::attention
