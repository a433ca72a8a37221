#include "conv_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../shape/shape.h"
#include "window.h"

namespace heed {

using kernels::WindowAxis;

void check_one_dtype(const char* op, const Tensor& a, const char* name_a, const Tensor& b,
                     const char* name_b) {
  check_defined(op, a, name_a, b, name_b);
  check_floating(op, a.dtype());
  if (a.dtype() != b.dtype()) {
    throw DTypeError(fmt::format("{}: dtypes differ: {} is {}, {} is {}", op, name_a, describe(a),
                                 name_b, describe(b)));
  }
}

void check_conv_channels(const char* op, Index axes, const Shape& x, const Shape& weight,
                         Index groups) {
  if (x.rank() != axes + 1 && x.rank() != axes + 2) {
    throw ShapeError(
        fmt::format("{}: x must have rank {} or {}, not {}", op, axes + 1, axes + 2, to_string(x)));
  }
  if (weight.rank() != axes + 2) {
    throw ShapeError(
        fmt::format("{}: weight must have rank {}, not {}", op, axes + 2, to_string(weight)));
  }
  check_sizes(op, x);
  check_sizes(op, weight);
  if (groups <= 0) throw ValueError(fmt::format("{}: groups must be positive, not {}", op, groups));
  const Index in = x[x.rank() - axes - 1], out = weight[0];
  if (in % groups != 0 || out % groups != 0) {
    throw ShapeError(fmt::format("{}: {} groups do not divide {} input and {} output channels", op,
                                 groups, in, out));
  }
  if (weight[1] != in / groups) {
    throw ShapeError(
        fmt::format("{}: channels differ: x is {}, weight is {}; in {} groups weight's second size "
                    "must be {}",
                    op, to_string(x), to_string(weight), groups, in / groups));
  }
}

void check_conv_bias(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!bias.defined()) return;
  check_one_dtype(op, x, "x", bias, "bias");
  if (bias.shape() == Shape{weight.size(0)}) return;
  throw ShapeError(fmt::format("{}: bias is {}, weight is {}; bias must be [{}]", op,
                               describe(bias), describe(weight), weight.size(0)));
}

WindowAxis conv_axis(const char* op, Index in, Index kernel, Index stride, Index padding,
                     Index dilation, bool same) {
  WindowAxis axis{in, kernel, stride, padding, dilation};
  if (!same) return slide(op, axis);
  check_window(op, axis);
  if (stride != 1 || padding != 0) {
    throw ValueError(
        fmt::format("{}: same goes with stride 1 and padding 0, not with stride {} and padding {}",
                    op, stride, padding));
  }
  axis.padding = checked_mul(op, dilation, kernel - 1) / 2;
  axis.out = in;
  return axis;
}

Tensor conv_padded(const Tensor& x, Index place, const WindowAxis& axis) {
  const Index reach = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
  const Index behind = std::max<Index>(0, reach - axis.in - axis.padding);
  Shape before = x.shape(), after = x.shape();
  before[place] = axis.padding;
  after[place] = behind;
  return concat({zeros(before, x.dtype()), x, zeros(after, x.dtype())}, place);
}

Tensor conv_tap(const Tensor& x, Index place, const WindowAxis& axis, Index k) {
  const Index start = k * axis.dilation;
  return slice(x, place, start, start + (axis.out - 1) * axis.stride + 1, axis.stride);
}

}  // namespace heed
