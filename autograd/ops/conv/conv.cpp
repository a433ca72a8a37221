#include "conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../../core/kernels/conv/conv.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../linalg/matmul.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "window.h"

namespace heed {
namespace {

using kernels::ConvShape;
using kernels::WindowAxis;

WindowAxis axis_of(const char* op, Index in, Index kernel, Index stride, Index padding,
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

// Sizes of a convolution over the last `rank` axes of x, all checked.
ConvShape shape_of(const char* op, Index rank, const Shape& x, const Shape& weight,
                   const Conv2dOptions& options) {
  if (x.rank() != rank + 1 && x.rank() != rank + 2) {
    throw ShapeError(
        fmt::format("{}: x must have rank {} or {}, not {}", op, rank + 1, rank + 2, to_string(x)));
  }
  if (weight.rank() != rank + 2) {
    throw ShapeError(
        fmt::format("{}: weight must have rank {}, not {}", op, rank + 2, to_string(weight)));
  }
  check_sizes(op, x);
  check_sizes(op, weight);
  const Index groups = options.groups;
  if (groups <= 0) throw ValueError(fmt::format("{}: groups must be positive, not {}", op, groups));
  ConvShape shape;
  shape.images = x.rank() == rank + 2 ? x[0] : 1;
  shape.in_channels = x[x.rank() - rank - 1];
  shape.out_channels = weight[0];
  shape.groups = groups;
  if (shape.in_channels % groups != 0 || shape.out_channels % groups != 0) {
    throw ShapeError(fmt::format("{}: {} groups do not divide {} input and {} output channels", op,
                                 groups, shape.in_channels, shape.out_channels));
  }
  if (weight[1] != shape.group_in()) {
    throw ShapeError(
        fmt::format("{}: channels differ: x is {}, weight is {}; in {} groups weight's second size "
                    "must be {}",
                    op, to_string(x), to_string(weight), groups, shape.group_in()));
  }
  if (rank == 2) {
    shape.y = axis_of(op, x.at(-2), weight[2], options.stride.y, options.padding.y,
                      options.dilation.y, options.same);
  }
  shape.x = axis_of(op, x.at(-1), weight.at(-1), options.stride.x, options.padding.x,
                    options.dilation.x, options.same);
  checked_mul(op, shape.y.out, shape.x.out);
  checked_mul(op, shape.y.kernel, shape.x.kernel);
  return shape;
}

void check_dtypes(const char* op, const Tensor& a, const char* name_a, const Tensor& b,
                  const char* name_b) {
  check_defined(op, a, name_a, b, name_b);
  check_floating(op, a.dtype());
  if (a.dtype() != b.dtype()) {
    throw DTypeError(fmt::format("{}: dtypes differ: {} is {}, {} is {}", op, name_a, describe(a),
                                 name_b, describe(b)));
  }
}

ConvShape check(const char* op, Index rank, const Tensor& x, const Tensor& weight,
                const Tensor& bias, const Conv2dOptions& options) {
  check_dtypes(op, x, "x", weight, "weight");
  const ConvShape shape = shape_of(op, rank, x.shape(), weight.shape(), options);
  if (bias.defined()) {
    check_dtypes(op, x, "x", bias, "bias");
    if (!(bias.shape() == Shape{shape.out_channels})) {
      throw ShapeError(fmt::format("{}: bias is {}, weight is {}; bias must be [{}]", op,
                                   describe(bias), describe(weight), shape.out_channels));
    }
  }
  return shape;
}

void check_gradient(const char* op, const ConvShape& shape, const Shape& x, const Tensor& g) {
  if (x.rank() != 4) {
    throw ShapeError(fmt::format("{}: x must have rank 4, not {}", op, to_string(x)));
  }
  const Shape out{shape.images, shape.out_channels, shape.y.out, shape.x.out};
  if (!(g.shape() == out)) {
    throw ShapeError(
        fmt::format("{}: g is {}, but the result is {}", op, describe(g), to_string(out)));
  }
}

// x with zeros before and after along an axis, so that every window lies inside.
Tensor padded(const Tensor& x, Index place, const WindowAxis& axis) {
  const Index reach = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
  const Index behind = std::max<Index>(0, reach - axis.in - axis.padding);
  Shape before = x.shape(), after = x.shape();
  before[place] = axis.padding;
  after[place] = behind;
  return concat({zeros(before, x.dtype()), x, zeros(after, x.dtype())}, place);
}

// What tap k of the kernel reads at every output place.
Tensor tap(const Tensor& x, Index place, const WindowAxis& axis, Index k) {
  const Index start = k * axis.dilation;
  return slice(x, place, start, start + (axis.out - 1) * axis.stride + 1, axis.stride);
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv1dOptions& options) {
  const Conv2dOptions wide{.stride = {1, options.stride},
                           .padding = {0, options.padding},
                           .dilation = {1, options.dilation},
                           .groups = options.groups,
                           .same = options.same};
  check("conv1d", 1, x, weight, bias, wide);
  return squeeze(conv2d(unsqueeze(x, -2), unsqueeze(weight, -2), bias, wide), -2);
}

// Linear in x and in weight, and the gradient of either is linear in the other.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const Conv2dOptions& options) {
  const ConvShape shape = check("conv2d", 2, x, weight, bias, options);
  if (x.rank() == 3) return squeeze(conv2d(unsqueeze(x, 0), weight, bias, options), 0);
  Array out =
      kernels::conv(shape, x.array(), weight.array(), bias.defined() ? bias.array() : Array());
  return record(
      Op::conv2d, out, {x, weight, bias},
      [weight = Saved(weight), shape = x.shape(), options](const Tensor& g) {
        return conv2d_input_grad(shape, weight(), g, options);
      },
      [x = Saved(x), shape = weight.shape(), options](const Tensor& g) {
        return conv2d_weight_grad(x(), shape, g, options);
      },
      [](const Tensor& g) {
        return sum(g, {0, 2, 3});
      });
}

Tensor conv2d_input_grad(const Shape& x, const Tensor& weight, const Tensor& g,
                         const Conv2dOptions& options) {
  const char* op = "conv2d_input_grad";
  check_dtypes(op, g, "g", weight, "weight");
  const ConvShape shape = shape_of(op, 2, x, weight.shape(), options);
  check_gradient(op, shape, x, g);
  return record(
      Op::conv2d_input_grad, kernels::conv_input_grad(shape, g.array(), weight.array()),
      {weight, g},
      [g = Saved(g), shape = weight.shape(), options](const Tensor& gg) {
        return conv2d_weight_grad(gg, shape, g(), options);
      },
      [weight = Saved(weight), options](const Tensor& gg) {
        return conv2d(gg, weight(), Tensor(), options);
      });
}

Tensor conv2d_weight_grad(const Tensor& x, const Shape& weight, const Tensor& g,
                          const Conv2dOptions& options) {
  const char* op = "conv2d_weight_grad";
  check_dtypes(op, g, "g", x, "x");
  const ConvShape shape = shape_of(op, 2, x.shape(), weight, options);
  check_gradient(op, shape, x.shape(), g);
  return record(
      Op::conv2d_weight_grad, kernels::conv_weight_grad(shape, g.array(), x.array()), {x, g},
      [g = Saved(g), shape = x.shape(), options](const Tensor& gg) {
        return conv2d_input_grad(shape, gg, g(), options);
      },
      [x = Saved(x), options](const Tensor& gg) { return conv2d(x(), gg, Tensor(), options); });
}

Tensor conv2d_plain(const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const Conv2dOptions& options) {
  const ConvShape s = check("conv2d", 2, x, weight, bias, options);
  if (x.rank() == 3) return squeeze(conv2d_plain(unsqueeze(x, 0), weight, bias, options), 0);
  const Tensor wide = padded(padded(x, 2, s.y), 3, s.x);
  const Shape in{s.images, s.groups, s.group_in(), s.places()};
  Tensor out = zeros(Shape{s.images, s.groups, s.group_out(), s.places()}, x.dtype());
  for (Index ky = 0; ky < s.y.kernel; ++ky) {
    for (Index kx = 0; kx < s.x.kernel; ++kx) {
      const Tensor read = reshape(tap(tap(wide, 2, s.y, ky), 3, s.x, kx), in);
      const Tensor w = select(select(weight, 3, kx), 2, ky);  // [O, C / groups]
      out = out + matmul(reshape(w, Shape{s.groups, s.group_out(), s.group_in()}), read);
    }
  }
  out = reshape(out, Shape{s.images, s.out_channels, s.y.out, s.x.out});
  return bias.defined() ? out + reshape(bias, Shape{s.out_channels, 1, 1}) : out;
}

}  // namespace heed
