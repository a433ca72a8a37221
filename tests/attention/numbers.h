// A tensor's numbers, row by row, as the plain loops beside the library read them.
#pragma once

#include <gmock/gmock.h>

#include <vector>

#include "../../autograd/tensor.h"
#include "../support/numbers.h"

namespace heed::attention {

inline double at(const Numbers& x, Index i) { return x[static_cast<std::size_t>(i)]; }
inline double& at(Numbers& x, Index i) { return x[static_cast<std::size_t>(i)]; }

/// An i64 tensor of these.
inline Tensor indices(const std::vector<Index>& numbers, const Shape& shape) {
  return Tensor(Array::from(numbers, shape));
}

/// As many numbers, each within `tolerance` of the wanted one: EXPECT_THAT(numbers(x), near(y)).
inline auto near(const Numbers& wanted, double tolerance = 1e-12) {
  return testing::Pointwise(testing::DoubleNear(tolerance), wanted);
}
inline auto near(const Tensor& wanted, double tolerance = 1e-12) {
  return near(numbers(wanted), tolerance);
}

}  // namespace heed::attention
