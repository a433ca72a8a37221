// What a picture has at a place between four pixels, by the definition: for tests of what samples one.
#pragma once

#include <algorithm>
#include <cmath>

#include "../one_node.h"

namespace heed::onnx {

/// What stands at a place between four pixels; zeros, or the edge, outside.
inline double between(const Tensor& x, Index b, Index c, double down, double across, bool border) {
  const double v = std::floor(down), u = std::floor(across);
  double sum = 0;
  for (const double i : {v, v + 1}) {
    for (const double j : {u, u + 1}) {
      const auto last_row = static_cast<double>(x.size(2) - 1);
      const auto last_column = static_cast<double>(x.size(3) - 1);
      const double row = std::clamp(i, 0.0, last_row), column = std::clamp(j, 0.0, last_column);
      if (!border && (row != i || column != j)) continue;
      sum += (1 - std::fabs(down - i)) * (1 - std::fabs(across - j)) *
             at(x, {b, c, static_cast<Index>(row), static_cast<Index>(column)});
    }
  }
  return sum;
}

}  // namespace heed::onnx
