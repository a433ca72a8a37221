// Gradients at places that differences cannot check: a leaf there, and the gradient of a sum.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "../../autograd/backward.h"

namespace heed {

inline Tensor leaf(const std::vector<double>& values, const Shape& shape) {
  return tensor(values, shape, DType::f64).set_requires_grad();
}
inline Tensor leaf(const std::vector<double>& values) {
  return leaf(values, {static_cast<Index>(values.size())});
}

/// By the fused derivative and by the recorded one, which must agree.
inline std::vector<double> gradient(const Tensor& out, const Tensor& x) {
  const Tensor g = full(out.shape(), 1, out.dtype());
  const auto plain = grad({out}, {x}, {g}, {.create_graph = true})[0].array().to_vector<double>();
  const auto fused = grad({out}, {x}, {g})[0].array().to_vector<double>();
  EXPECT_EQ(plain, fused);
  return fused;
}

}  // namespace heed
