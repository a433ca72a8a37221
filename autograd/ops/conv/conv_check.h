// What convolutions ask of their operands first, in the name of `op`.
#pragma once

#include "../../../core/kernels/conv/window.h"
#include "../../tensor.h"

namespace heed {

/// Throws GradError for an undefined one, DTypeError unless both are f32 or both f64.
void check_one_dtype(const char* op, const Tensor& a, const char* name_a, const Tensor& b,
                     const char* name_b);

/// Of a convolution over the last `axes` axes: x [B, C, ..] or [C, ..], weight [O, C / groups, ..].
/// Throws ShapeError, ValueError for groups that are not positive.
void check_conv_channels(const char* op, Index axes, const Shape& x, const Shape& weight,
                         Index groups);

/// Throws GradError, DTypeError, and ShapeError unless the bias, if there is one, is [O].
void check_conv_bias(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias);

/// How far the kernel slides along an axis. Throws ValueError, ShapeError.
kernels::WindowAxis conv_axis(const char* op, Index in, Index kernel, Index stride, Index padding,
                              Index dilation, bool same);

/// x with zeros before and after along an axis, so that every window lies inside.
Tensor conv_padded(const Tensor& x, Index place, const kernels::WindowAxis& axis);

/// What tap k of the kernel reads at every output place of a padded x.
Tensor conv_tap(const Tensor& x, Index place, const kernels::WindowAxis& axis, Index k);

}  // namespace heed
