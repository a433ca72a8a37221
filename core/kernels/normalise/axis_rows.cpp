#include "axis_rows.h"

#include <fmt/format.h>

#include "../../error.h"

namespace heed::kernels {

Array mask_rows(const char* op, const Array& mask, const Array& x, Index axis) {
  if (!mask.defined()) return {};
  if (mask.dtype() != DType::boolean) {
    throw DTypeError(fmt::format("{}: the mask must be bool, not {}", op, describe(mask)));
  }
  if (!(broadcast_shapes(op, mask.shape(), x.shape()) == x.shape())) {
    throw ShapeError(
        fmt::format("{}: mask {} does not broadcast to {}", op, describe(mask), describe(x)));
  }
  return with_axis_last(mask.expand(x.shape()), axis);
}

}  // namespace heed::kernels
