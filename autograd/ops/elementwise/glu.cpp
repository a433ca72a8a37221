#include "glu.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "elementwise.h"

namespace heed {

Tensor glu(const Tensor& x, Index axis) {
  check_defined("glu", x, "x");
  if (detail::hold_bf16(x)) return glu(detail::wide(x), axis);
  check_floating("glu", x.dtype());
  axis = normalize_axis("glu", axis, x.rank());
  const Index size = x.size(axis);
  if (size % 2 != 0) {
    throw ShapeError(
        fmt::format("glu: axis {} must be even to be halved: x is {}", axis, describe(x)));
  }
  return narrow(x, axis, 0, size / 2) * sigmoid(narrow(x, axis, size / 2, size / 2));
}

}  // namespace heed
