#include "conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../../core/kernels/conv/conv.h"
#include "../../../core/precision.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../linalg/matmul.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "conv_check.h"

namespace heed {
namespace {

using kernels::ConvShape;
using kernels::WindowAxis;

// Sizes of a convolution over the last `rank` axes of x, all checked.
ConvShape shape_of(const char* op, Index rank, const Shape& x, const Shape& weight,
                   const Conv2dOptions& options) {
  check_conv_channels(op, rank, x, weight, options.groups);
  ConvShape shape;
  shape.images = x.rank() == rank + 2 ? x[0] : 1;
  shape.in_channels = x[x.rank() - rank - 1];
  shape.out_channels = weight[0];
  shape.groups = options.groups;
  if (rank == 2) {
    shape.y = conv_axis(op, x.at(-2), weight[2], options.stride.y, options.padding.y,
                        options.dilation.y, options.same);
  }
  shape.x = conv_axis(op, x.at(-1), weight.at(-1), options.stride.x, options.padding.x,
                      options.dilation.x, options.same);
  checked_mul(op, shape.y.out, shape.x.out);
  checked_mul(op, shape.y.kernel, shape.x.kernel);
  return shape;
}

ConvShape check(const char* op, Index rank, const Tensor& x, const Tensor& weight,
                const Tensor& bias, const Conv2dOptions& options) {
  check_one_dtype(op, x, "x", weight, "weight");
  const ConvShape shape = shape_of(op, rank, x.shape(), weight.shape(), options);
  check_conv_bias(op, x, weight, bias);
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
  say("stride", std::vector<Index>{options.stride.y, options.stride.x}, "dilation",
      std::vector<Index>{options.dilation.y, options.dilation.x}, "padding",
      std::vector<Index>{shape.y.padding, shape.x.padding}, "groups", options.groups, "same",
      options.same);
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
  check_one_dtype(op, g, "g", weight, "weight");
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
  check_one_dtype(op, g, "g", x, "x");
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
  const PrecisionScope scope(Precision::f32);
  const ConvShape s = check("conv2d", 2, x, weight, bias, options);
  if (x.rank() == 3) return squeeze(conv2d_plain(unsqueeze(x, 0), weight, bias, options), 0);
  const Tensor wide = conv_padded(conv_padded(x, 2, s.y), 3, s.x);
  const Shape in{s.images, s.groups, s.group_in(), s.places()};
  Tensor out = zeros(Shape{s.images, s.groups, s.group_out(), s.places()}, x.dtype());
  for (Index ky = 0; ky < s.y.kernel; ++ky) {
    for (Index kx = 0; kx < s.x.kernel; ++kx) {
      const Tensor read = reshape(conv_tap(conv_tap(wide, 2, s.y, ky), 3, s.x, kx), in);
      const Tensor w = select(select(weight, 3, kx), 2, ky);  // [O, C / groups]
      out = out + matmul(reshape(w, Shape{s.groups, s.group_out(), s.group_in()}), read);
    }
  }
  out = reshape(out, Shape{s.images, s.out_channels, s.y.out, s.x.out});
  return bias.defined() ? out + reshape(bias, Shape{s.out_channels, 1, 1}) : out;
}

}  // namespace heed
