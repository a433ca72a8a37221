#include "window.h"

#include <fmt/format.h>

#include "../../../core/error.h"

namespace heed {
namespace {

void check_positive(const char* op, const char* what, Index value) {
  if (value <= 0) throw ValueError(fmt::format("{}: {} must be positive, not {}", op, what, value));
}

}  // namespace

void check_window(const char* op, const kernels::WindowAxis& axis) {
  check_positive(op, "kernel", axis.kernel);
  check_positive(op, "stride", axis.stride);
  check_positive(op, "dilation", axis.dilation);
  if (axis.padding < 0) {
    throw ValueError(fmt::format("{}: padding must not be negative: {}", op, axis.padding));
  }
}

kernels::WindowAxis slide(const char* op, kernels::WindowAxis axis, bool ceil_mode) {
  check_window(op, axis);
  const Index padded = checked_add(op, axis.in, checked_mul(op, 2, axis.padding));
  const Index reach = checked_add(op, checked_mul(op, axis.dilation, axis.kernel - 1), 1);
  if (reach > padded) {
    throw ShapeError(fmt::format("{}: the kernel reaches over {} places, but x with padding has {}",
                                 op, reach, padded));
  }
  const Index room = padded - reach;
  axis.out = room / axis.stride + 1;
  // One window more for the rest, if it begins before the padding behind.
  if (ceil_mode && room % axis.stride != 0 &&
      checked_mul(op, axis.out, axis.stride) < axis.in + axis.padding) {
    ++axis.out;
  }
  return axis;
}

}  // namespace heed
