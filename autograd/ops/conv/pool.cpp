#include "pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../../core/kernels/conv/pool.h"
#include "../../../core/precision.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../index/index.h"
#include "../linalg/matmul.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"
#include "window.h"

namespace heed {
namespace {

using kernels::AverageAxis;
using kernels::WindowAxis;

// x is f32 or f64, of one or two axes before the `rank` that are pooled, none of these empty.
void check_input(const char* op, Index rank, const Tensor& x) {
  check_defined(op, x, "x");
  check_floating(op, x.dtype());
  if (x.rank() != rank + 1 && x.rank() != rank + 2) {
    throw ShapeError(
        fmt::format("{}: x must have rank {} or {}, not {}", op, rank + 1, rank + 2, describe(x)));
  }
  for (Index axis = -rank; axis < 0; ++axis) {
    if (x.size(axis) == 0) {
      throw ShapeError(fmt::format("{}: axis {} is empty: x is {}", op, axis, describe(x)));
    }
  }
}

WindowAxis axis_of(const char* op, Index in, Index kernel, Index stride, Index padding,
                   Index dilation, bool ceil_mode) {
  const WindowAxis axis = slide(op, {in, kernel, stride, padding, dilation}, ceil_mode);
  if (padding > kernel / 2) {
    throw ValueError(
        fmt::format("{}: padding {} is more than half of kernel {}", op, padding, kernel));
  }
  if (padding > 0 && dilation > in) {  // then a window may step over all of x
    throw ShapeError(
        fmt::format("{}: dilation {} is more than the {} places of x", op, dilation, in));
  }
  return axis;
}

struct Windows {
  WindowAxis y, x;
};

struct Averages {
  AverageAxis y, x;
};

Windows axes_of(const char* op, Index rank, const Tensor& x, const MaxPool2dOptions& options) {
  check_input(op, rank, x);
  const PerAxis stride = options.stride.value_or(options.kernel);
  const auto axis = [&](Index place, Index PerAxis::*part) {
    return axis_of(op, x.size(place), options.kernel.*part, stride.*part, options.padding.*part,
                   options.dilation.*part, options.ceil_mode);
  };
  return {rank == 1 ? WindowAxis{} : axis(-2, &PerAxis::y), axis(-1, &PerAxis::x)};
}

// A row as a plane of one row.
MaxPool2dOptions widened(const MaxPool1dOptions& options) {
  return {.kernel = {1, options.kernel},
          .stride = PerAxis{1, options.stride.value_or(options.kernel)},
          .padding = {0, options.padding},
          .dilation = {1, options.dilation},
          .ceil_mode = options.ceil_mode};
}

AvgPool2dOptions widened(const AvgPool1dOptions& options) {
  return {.kernel = {1, options.kernel},
          .stride = PerAxis{1, options.stride.value_or(options.kernel)},
          .padding = {0, options.padding},
          .ceil_mode = options.ceil_mode,
          .count_include_pad = options.count_include_pad};
}

Windows axes_of(const char* op, Index rank, const Tensor& x, const AvgPool2dOptions& options) {
  return axes_of(op, rank, x,
                 MaxPool2dOptions{.kernel = options.kernel,
                                  .stride = options.stride,
                                  .padding = options.padding,
                                  .ceil_mode = options.ceil_mode});
}

// x [.., H, W] as [planes, H, W], and its shape with other last sizes.
Shape planes_of(const Tensor& x) {
  Index planes = 1;
  for (Index axis = 0; axis < x.rank() - 2; ++axis) planes *= x.size(axis);
  return {planes, x.size(-2), x.size(-1)};
}

Shape pooled_shape(const Tensor& x, Index rows, Index columns) {
  Shape shape = x.shape();
  shape[x.rank() - 2] = rows;
  shape[x.rank() - 1] = columns;
  return shape;
}

Averages averages(const Windows& axes, bool count_include_pad) {
  return {{axes.y, count_include_pad}, {axes.x, count_include_pad}};
}

AverageAxis pieces(Index in, Index out) {
  AverageAxis axis;
  axis.window.in = in;
  axis.window.out = out;
  axis.adaptive = true;
  return axis;
}

void say_windows(const WindowAxis& y, const WindowAxis& x) {
  if (!traced()) return;
  const auto both = [&](Index WindowAxis::*part) { return std::vector<Index>{y.*part, x.*part}; };
  say("kernel", both(&WindowAxis::kernel), "stride", both(&WindowAxis::stride), "padding",
      both(&WindowAxis::padding), "dilation", both(&WindowAxis::dilation));
}

// [out, in]: the averages of one axis as a matrix.
Tensor matrix(const AverageAxis& axis, DType dtype) {
  Array out = Array::zeros(Shape{axis.window.out, axis.window.in}, DType::f64);
  double* row = out.mutable_data<double>();
  for (Index i = 0; i < axis.window.out; ++i) {
    const kernels::Span span = axis[i];
    std::fill(row + span.begin, row + span.end, 1 / static_cast<double>(span.count));
    row += axis.window.in;
  }
  return out.to(dtype);
}

// Linear in x: out = Y x X^T, gx = Y^T g X, with the averages of each axis as a matrix.
Tensor average(const Tensor& x, const Averages& by, bool include_pad = false) {
  const Array out = kernels::avg_pool(by.y, by.x, x.array().reshape(planes_of(x)));
  say_windows(by.y.window, by.x.window);
  say("adaptive", by.y.adaptive || by.x.adaptive, "include_pad", include_pad);
  return record(
      Op::avg_pool2d, out.reshape(pooled_shape(x, by.y.window.out, by.x.window.out)), {x},
      [by, planes = planes_of(x), from = x.shape()](const Tensor& g) {
        if (recording()) {
          const PrecisionScope scope(Precision::f32);
          const Tensor left = transpose(matrix(by.y, g.dtype()), 0, 1);
          return matmul(matmul(left, g), matrix(by.x, g.dtype()));
        }
        const Shape flat{planes[0], by.y.window.out, by.x.window.out};
        return Tensor(kernels::avg_pool_grad(by.y, by.x, g.array().reshape(flat)).reshape(from));
      });
}

void check_adaptive(const char* op, Index rank, const Tensor& x, Index out) {
  check_input(op, rank, x);
  if (out < 0) {
    throw ValueError(fmt::format("{}: the output size must not be negative: {}", op, out));
  }
}

}  // namespace

// gx: g at the places that were the largest.
MaxPooled max_pool2d_with_indices(const Tensor& x, const MaxPool2dOptions& options) {
  const Windows axes = axes_of("max_pool2d", 2, x, options);
  const kernels::Pooled out = kernels::max_pool(axes.y, axes.x, x.array().reshape(planes_of(x)));
  const Shape shape = pooled_shape(x, axes.y.out, axes.x.out);
  const Tensor indices = out.indices.reshape(shape);
  say_windows(axes.y, axes.x);
  const Tensor values = record(
      Op::max_pool2d, out.values.reshape(shape), {x},
      [places = Saved(Tensor(out.indices)), planes = planes_of(x),
       from = x.shape()](const Tensor& g) {
        const Tensor flat = reshape(g, places().shape());
        if (!recording()) {
          return Tensor(kernels::max_pool_grad(flat.array(), places.array(), planes[1], planes[2])
                            .reshape(from));
        }
        const Shape rows{planes[0], checked_mul("max_pool2d", flat.size(1), flat.size(2))};
        const Shape whole{planes[0], checked_mul("max_pool2d", planes[1], planes[2])};
        const Tensor gx =
            scatter_add(zeros(whole, g.dtype()), 1, reshape(places(), rows), reshape(flat, rows));
        return reshape(gx, from);
      });
  return {values, indices};
}

Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options) {
  return max_pool2d_with_indices(x, options).values;
}

MaxPooled max_pool1d_with_indices(const Tensor& x, const MaxPool1dOptions& options) {
  const MaxPool2dOptions wide = widened(options);
  axes_of("max_pool1d", 1, x, wide);
  const MaxPooled out = max_pool2d_with_indices(unsqueeze(x, -2), wide);
  return {squeeze(out.values, -2), squeeze(out.indices, -2)};
}

Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options) {
  return max_pool1d_with_indices(x, options).values;
}

Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options) {
  return average(x, averages(axes_of("avg_pool2d", 2, x, options), options.count_include_pad),
                 options.count_include_pad);
}

Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options) {
  const AvgPool2dOptions wide = widened(options);
  axes_of("avg_pool1d", 1, x, wide);
  return squeeze(avg_pool2d(unsqueeze(x, -2), wide), -2);
}

Tensor adaptive_avg_pool2d(const Tensor& x, PerAxis out) {
  check_adaptive("adaptive_avg_pool2d", 2, x, out.y);
  check_adaptive("adaptive_avg_pool2d", 2, x, out.x);
  return average(x, {pieces(x.size(-2), out.y), pieces(x.size(-1), out.x)});
}

Tensor adaptive_avg_pool1d(const Tensor& x, Index out) {
  check_adaptive("adaptive_avg_pool1d", 1, x, out);
  return squeeze(average(unsqueeze(x, -2), {pieces(1, 1), pieces(x.size(-1), out)}), -2);
}

Tensor max_pool2d_plain(const Tensor& x, const MaxPool2dOptions& options) {
  const auto [y, along] = axes_of("max_pool2d", 2, x, options);
  const double low = -std::numeric_limits<double>::infinity();
  const auto padded = [low](const Tensor& t, Index place, const WindowAxis& axis) {
    const Index reach = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
    Shape before = t.shape(), after = t.shape();
    before[before.rank() + place] = axis.padding;
    after[after.rank() + place] = std::max<Index>(0, reach - axis.in - axis.padding);
    return concat({full(before, low, t.dtype()), t, full(after, low, t.dtype())}, place);
  };
  const auto tap = [](const Tensor& t, Index place, const WindowAxis& axis, Index k) {
    const Index start = k * axis.dilation;
    return slice(t, place, start, start + (axis.out - 1) * axis.stride + 1, axis.stride);
  };
  const Tensor wide = padded(padded(x, -2, y), -1, along);
  std::vector<Tensor> taps;
  for (Index ky = 0; ky < y.kernel; ++ky) {
    for (Index kx = 0; kx < along.kernel; ++kx) {
      taps.push_back(tap(tap(wide, -2, y, ky), -1, along, kx));
    }
  }
  return amax(stack(taps, 0), {0});
}

Tensor avg_pool2d_plain(const Tensor& x, const AvgPool2dOptions& options) {
  const PrecisionScope scope(Precision::f32);
  const Averages by = averages(axes_of("avg_pool2d", 2, x, options), options.count_include_pad);
  return matmul(matmul(matrix(by.y, x.dtype()), x), transpose(matrix(by.x, x.dtype()), 0, 1));
}

}  // namespace heed
