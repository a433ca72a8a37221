#include "interpolate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "../index/index.h"

namespace heed {
namespace {

// floor(place / scale). A quotient of doubles that is whole is exact; a product with 1 / scale is
// not: 49 (1 / 49) is below 1.
Index nearest(Index place, Index in, Index out, const InterpolateOptions& options) {
  if (!options.size.has_value()) {
    return static_cast<Index>(static_cast<double>(place) / options.scale);
  }
  return static_cast<Index>(static_cast<double>(place) * static_cast<double>(in) /
                            static_cast<double>(out));
}

// One axis, `out` places long; `step` places of x from one of the result to the next.
Tensor along(const Tensor& x, Index axis, Index out, double step,
             const InterpolateOptions& options) {
  const Index in = x.size(axis);
  const Index last = in - 1;
  const bool linear = options.mode == Interpolation::linear;
  Shape shape = Shape::filled(x.rank(), 1);
  shape[axis] = out;
  Array low = Array::empty(Shape{out}, DType::i64), high = Array::empty(Shape{out}, DType::i64);
  Array weight = Array::empty(shape, DType::f64);
  auto* const to_low = low.mutable_data<std::int64_t>();
  auto* const to_high = high.mutable_data<std::int64_t>();
  auto* const to_weight = weight.mutable_data<double>();
  if (linear && options.align_corners) {
    step = out > 1 ? static_cast<double>(last) / static_cast<double>(out - 1) : 0;
  }
  for (Index i = 0; i < out; ++i) {
    if (!linear) {
      to_low[i] = std::min(nearest(i, in, out, options), last);
      continue;
    }
    const auto place = static_cast<double>(i);
    const double from =
        options.align_corners ? place * step : std::max(0.0, (place + 0.5) * step - 0.5);
    to_low[i] = std::min(static_cast<Index>(from), last);
    to_high[i] = std::min(to_low[i] + 1, last);
    to_weight[i] = from - static_cast<double>(to_low[i]);
  }
  Tensor first = index_select(x, axis, Tensor(low));
  if (!linear) return first;
  const Tensor w = Tensor(weight.to(x.dtype()));
  return (1 - w) * first + w * index_select(x, axis, Tensor(high));
}

}  // namespace

Tensor interpolate(const Tensor& x, const InterpolateOptions& options) {
  check_defined("interpolate", x, "x");
  check_floating("interpolate", x.dtype());
  if (x.rank() != 3 && x.rank() != 4) {
    throw ShapeError(
        fmt::format("interpolate: takes [B, C, L] or [B, C, H, W], not {}", describe(x)));
  }
  const bool sized = options.size.has_value();
  if (sized == (options.scale != 0)) {
    throw ValueError("interpolate: wants a size or a scale, and not both");
  }
  Shape shape = x.shape();
  for (Index axis = 2; axis < x.rank(); ++axis) {
    const Index in = x.size(axis);
    const auto places = static_cast<double>(in);
    const double wanted = !sized                ? std::floor(places * options.scale)
                          : axis + 1 < x.rank() ? static_cast<double>(options.size->y)
                                                : static_cast<double>(options.size->x);
    if (!(wanted >= 1 && wanted < 9e15)) {
      throw ValueError(fmt::format("interpolate: {} places of an axis of {}", wanted, in));
    }
    if (in == 0) throw ShapeError(fmt::format("interpolate: {} has an empty axis", describe(x)));
    shape[axis] = static_cast<Index>(wanted);
  }
  check_sizes("interpolate", shape);
  Tensor out = x;
  for (Index axis = 2; axis < x.rank(); ++axis) {
    const double step = sized ? static_cast<double>(x.size(axis)) / static_cast<double>(shape[axis])
                              : 1 / options.scale;
    out = along(out, axis, shape[axis], step, options);
  }
  return out;
}

}  // namespace heed
