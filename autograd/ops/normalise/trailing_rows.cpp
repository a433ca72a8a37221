#include "trailing_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../check_defined.h"

namespace heed {

Standardization trailing_rows(Op op, const Tensor& x, const Shape& normalized_shape, double eps,
                              bool centred) {
  check_defined(name(op), x, "x");
  check_floating(name(op), x.dtype());
  check_eps(name(op), eps);
  const Index lead = x.rank() - normalized_shape.rank();
  if (normalized_shape.rank() == 0 || lead < 0 ||
      !std::equal(normalized_shape.begin(), normalized_shape.end(), x.shape().begin() + lead)) {
    throw ShapeError(fmt::format("{}: the last sizes of x, {}, must be normalized_shape {}",
                                 name(op), describe(x), to_string(normalized_shape)));
  }
  Standardization how{op, {}, {}, eps, centred};
  for (Index axis = lead; axis < x.rank(); ++axis) how.axes.push_back(axis);
  const Index length = normalized_shape.numel();
  how.layout = {.rows = length == 0 ? 0 : x.numel() / length,
                .length = length,
                .row_step = length,
                .many = true};
  return how;
}

}  // namespace heed
