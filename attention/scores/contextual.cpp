#include "contextual.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/elementwise/clamp.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/elementwise/rounding.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/cumulative.h"
#include "../../autograd/ops/shape/arrange.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/triangle.h"
#include "../../core/error.h"
#include "../detail/checks.h"

namespace heed::attention {
namespace {

Shape checked(Index width, Index positions) {
  if (width > 0 && positions > 0) return {positions, width};
  throw ValueError(fmt::format("contextual_positions: width {} and positions {} must be positive",
                               width, positions));
}

}  // namespace

ContextualPositions::ContextualPositions(Index width, Index count, std::optional<double> scale,
                                         DType dtype)
    : positions(parameter("positions", zeros(checked(width, count), dtype))),
      scale_(scale.value_or(1 / std::sqrt(static_cast<double>(width)))) {
  if (!std::isfinite(scale_)) {
    throw ValueError(fmt::format("contextual_positions: scale {} is not finite", scale_));
  }
}

Tensor ContextualPositions::operator()(const Tensor& query, const Tensor& keys,
                                       const Tensor& past) const {
  return among(query, keys, Tensor(), past);
}

Tensor ContextualPositions::among(const Tensor& query, const Tensor& keys, const Tensor& allowed,
                                  const Tensor&) const {
  const Scope scope(*this);
  constexpr const char* kOp = "contextual_positions";
  check_rows(kOp, "query", query, positions.size(1), positions.dtype());
  check_rows(kOp, "keys", keys, positions.size(1), positions.dtype());
  const Shape shape = scores_shape(kOp, query, keys);
  const Index Q = shape.at(-2), K = shape.at(-1), last = positions.size(0) - 1;
  Tensor products = matmul(query, transpose(keys, -2, -1));  // [.., Q, K]
  if (allowed.defined()) products = where(allowed, products, 0);
  if (products.numel() == 0) return forwarded(products * scale_);
  // Of keys 0 .. i, each as many steps back as what is let through from there on.
  const Tensor let = tril(sigmoid(products), K - Q);
  const Tensor back = flip(cumsum(flip(let, {-1}), -1), {-1});
  const Tensor p = clamp(back, 0, static_cast<double>(last));
  const Tensor below = floor(p.detach()), above = ceil(p.detach());
  const Tensor by_place = matmul(query, transpose(positions, 0, 1));  // [.., Q, P]
  Shape wide = products.shape();
  wide[wide.rank() - 1] = last + 1;
  const auto at = [&](const Tensor& place) {
    return take_along(expand(by_place, wide), heed::to(place, DType::i64), -1);
  };
  const Tensor share = p - below;
  return forwarded(products * scale_ + at(above) * share + at(below) * (1 - share));
}

}  // namespace heed::attention
