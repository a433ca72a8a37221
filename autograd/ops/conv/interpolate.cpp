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
  std::vector<std::int64_t> low, high;
  std::vector<double> weight;
  if (linear && options.align_corners) {
    step = out > 1 ? static_cast<double>(last) / static_cast<double>(out - 1) : 0;
  }
  for (Index i = 0; i < out; ++i) {
    if (!linear) {
      low.push_back(std::min(nearest(i, in, out, options), last));
      continue;
    }
    const auto place = static_cast<double>(i);
    const double from =
        options.align_corners ? place * step : std::max(0.0, (place + 0.5) * step - 0.5);
    low.push_back(std::min(static_cast<Index>(from), last));
    high.push_back(std::min(low.back() + 1, last));
    weight.push_back(from - static_cast<double>(low.back()));
  }
  Tensor first = index_select(x, axis, Tensor(Array::from(low)));
  if (!linear) return first;
  Shape shape = Shape::filled(x.rank(), 1);
  shape[axis] = out;
  const Tensor w = Tensor(Array::from(weight, shape).to(x.dtype()));
  return (1 - w) * first + w * index_select(x, axis, Tensor(Array::from(high)));
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
  Tensor out = x;
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
    out = along(out, axis, static_cast<Index>(wanted), sized ? places / wanted : 1 / options.scale,
                options);
  }
  return out;
}

}  // namespace heed
