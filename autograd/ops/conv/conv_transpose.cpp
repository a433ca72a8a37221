#include "conv_transpose.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../shape/pad.h"
#include "../shape/shape.h"
#include "conv.h"

namespace heed {
namespace {

Index length(const char* op, Index in, Index kernel, Index stride, Index padding,
             Index output_padding, Index dilation) {
  if (stride < 1 || padding < 0 || dilation < 1 || output_padding < 0 ||
      (output_padding >= stride && output_padding >= dilation)) {
    throw ValueError(fmt::format(
        "{}: stride {} and dilation {} must be positive, padding {} not negative, output_padding "
        "{} in [0, the larger of stride and dilation)",
        op, stride, dilation, padding, output_padding));
  }
  if (in >= 1 && kernel >= 1) {
    const Index spread = checked_mul(op, in - 1, stride);
    const Index reach = checked_mul(op, dilation, kernel - 1);
    Index out = 0;
    if (__builtin_add_overflow(spread, reach, &out) ||
        __builtin_add_overflow(out, output_padding, &out) || __builtin_add_overflow(out, 1, &out)) {
      throw ShapeError(fmt::format("{}: {} places with stride {} and dilation {} overflow 64 bits",
                                   op, in, stride, dilation));
    }
    if (padding <= out / 2 && out - 2 * padding >= 1) return out - 2 * padding;
  }
  throw ShapeError(fmt::format("{}: {} places and a kernel of {} leave none", op, in, kernel));
}

Tensor transposed(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  const ConvTranspose2dOptions& o) {
  const Index channels = checked_mul(op, weight.size(1), o.groups < 1 ? 0 : o.groups);
  if (o.groups < 1 || x.size(1) % o.groups != 0) {
    throw ValueError(
        fmt::format("{}: groups {} do not divide {} channels", op, o.groups, x.size(1)));
  }
  if (weight.size(0) != x.size(1)) {
    throw ShapeError(fmt::format("{}: x is {}, weight is {}: its first axis must be the channels",
                                 op, describe(x), describe(weight)));
  }
  if (bias.defined() && !(bias.shape() == Shape{channels})) {
    throw ShapeError(fmt::format("{}: bias is {}, not [{}]", op, describe(bias), channels));
  }
  const Shape out{x.size(0), channels,
                  length(op, x.size(2), weight.size(2), o.stride.y, o.padding.y, o.output_padding.y,
                         o.dilation.y),
                  length(op, x.size(3), weight.size(3), o.stride.x, o.padding.x, o.output_padding.x,
                         o.dilation.x)};
  Conv2dOptions by{
      .stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups};
  Tensor y;
  if (o.output_padding.y < o.stride.y && o.output_padding.x < o.stride.x) {
    y = conv2d_input_grad(out, weight, x, by);
  } else {
    // A stride or more behind the last tap: no convolution of `out` has as few places as x.
    const PerAxis before = o.padding, more = o.output_padding;
    by.padding = 0;
    y = conv2d_input_grad(
        {out[0], out[1], out[2] + 2 * before.y - more.y, out[3] + 2 * before.x - more.x}, weight, x,
        by);
    y = pad(y, {-before.x, more.x - before.x, -before.y, more.y - before.y});
  }
  return bias.defined() ? y + reshape(bias, Shape{channels, 1, 1}) : y;
}

void check(const char* op, const Tensor& x, const Tensor& weight, Index axes) {
  check_defined(op, x, "x", weight, "weight");
  check_floating(op, x.dtype());
  if ((x.rank() != axes + 2 && x.rank() != axes + 1) || weight.rank() != axes + 2) {
    throw ShapeError(fmt::format("{}: x is {}, weight is {}", op, describe(x), describe(weight)));
  }
  if (x.dtype() != weight.dtype()) {
    throw DTypeError(
        fmt::format("{}: dtypes differ: x is {}, weight is {}", op, describe(x), describe(weight)));
  }
}

}  // namespace

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose1dOptions& o) {
  check("conv_transpose1d", x, weight, 1);
  if (x.rank() == 2) return squeeze(conv_transpose1d(unsqueeze(x, 0), weight, bias, o), 0);
  const ConvTranspose2dOptions wide{.stride = {1, o.stride},
                                    .padding = {0, o.padding},
                                    .output_padding = {0, o.output_padding},
                                    .dilation = {1, o.dilation},
                                    .groups = o.groups};
  return squeeze(transposed("conv_transpose1d", unsqueeze(x, 2), unsqueeze(weight, 2), bias, wide),
                 2);
}

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose2dOptions& options) {
  check("conv_transpose2d", x, weight, 2);
  if (x.rank() == 3) return squeeze(conv_transpose2d(unsqueeze(x, 0), weight, bias, options), 0);
  return transposed("conv_transpose2d", x, weight, bias, options);
}

}  // namespace heed
