#include "interpolate.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "resample.h"

namespace heed {
namespace {

// Where a place of the result is met, `step` places of x from one to the next. Nearest divides: a
// quotient of doubles that is whole is exact, a product with 1 / scale is not: 49 (1 / 49) is below
// 1.
double met(Index i, Index in, Index out, double step, const InterpolateOptions& options) {
  const auto place = static_cast<double>(i);
  if (options.mode == Interpolation::linear) {
    return options.align_corners ? place * step : (place + 0.5) * step - 0.5;
  }
  if (!options.size.has_value()) return place / options.scale;
  return place * static_cast<double>(in) / static_cast<double>(out);
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
  const bool linear = options.mode == Interpolation::linear;
  if (options.align_corners && !linear) {
    throw ValueError("interpolate: align_corners is of linear, and the mode is nearest");
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
  Tensor y = x;
  for (Index axis = 2; axis < x.rank(); ++axis) {
    const Index in = x.size(axis), out = shape[axis];
    double step = sized ? static_cast<double>(in) / static_cast<double>(out) : 1 / options.scale;
    if (options.align_corners) {
      step = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
    }
    const auto place_of = [&](Index i) { return met(i, in, out, step, options); };
    y = detail::resampled(y, axis, out, place_of, linear);
  }
  return y;
}

}  // namespace heed
