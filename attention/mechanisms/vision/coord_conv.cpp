#include "coord_conv.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/join.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../detail/feature_map.h"

namespace heed::attention {

Tensor with_coordinates(const Tensor& map, bool radius) {
  check_defined("with_coordinates", map, "map");
  check_floating("with_coordinates", map.dtype());
  if (map.rank() != 4) {
    throw ShapeError("with_coordinates: map must be [B, C, H, W], not " + describe(map));
  }
  const Index H = map.size(2), W = map.size(3);
  const Shape plane{map.size(0), 1, H, W};
  const auto along = [&](Index n) {
    return n == 1 ? zeros({1}, map.dtype()) : linspace(-1, 1, n, map.dtype());
  };
  const Tensor i = expand(unsqueeze(along(H), 1), plane), j = expand(along(W), plane);
  if (!radius) return concat({map, i, j}, 1);
  return concat({map, i, j, sqrt(square(i - 0.5) + square(j - 0.5))}, 1);
}

namespace {

Index checked(Index in) {
  if (in < 1) throw ValueError(fmt::format("coord_conv: {} channels must be positive", in));
  return in;
}

}  // namespace

CoordConv::CoordConv(Index in, Index out, PerAxis kernel, const Conv2dOptions& options, bool radius,
                     DType dtype)
    : conv(child<nn::Conv2d>("conv", Checked("coord_conv", checked(in)) + (radius ? 3 : 2), out,
                             kernel, options, true, dtype)),
      in_(in),
      radius_(radius) {}

Tensor CoordConv::operator()(const Tensor& map) const {
  const Scope scope(*this);
  check_map("coord_conv", map, in_, conv.weight.dtype());
  return forwarded(conv(with_coordinates(map, radius_)));
}

}  // namespace heed::attention
