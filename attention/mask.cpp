#include "mask.h"

#include <fmt/format.h>

#include <algorithm>

#include "../autograd/ops/elementwise.h"
#include "../core/error.h"

namespace heed::attention {

Mask::Mask(Tensor allowed) : allowed_(std::move(allowed)) {
  if (allowed_.dtype() != DType::boolean) {
    throw DTypeError(
        fmt::format("mask: takes bool (true: may attend), not {}", describe(allowed_)));
  }
}

Mask Mask::lengths(const std::vector<Index>& lengths, Index steps) {
  const auto rows = static_cast<Index>(lengths.size());
  Array allowed = Array::zeros(Shape{rows, steps}, DType::boolean);
  bool* to = allowed.mutable_data<bool>();
  for (Index row = 0; row < rows; ++row) {
    const Index length = lengths[static_cast<std::size_t>(row)];
    if (length < 0 || length > steps) {
      throw ShapeError(
          fmt::format("mask: length {} of row {} is not in [0, {}]", length, row, steps));
    }
    std::fill_n(to + row * steps, length, true);
  }
  return Mask(Tensor(allowed));
}

Mask operator&(const Mask& a, const Mask& b) {
  if (a.all()) return b;
  if (b.all()) return a;
  return Mask(logical_and(a.tensor(), b.tensor()));
}

}  // namespace heed::attention
