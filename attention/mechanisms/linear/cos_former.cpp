#include "cos_former.h"

#include <fmt/format.h>

#include <numbers>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

namespace heed::attention {

CosFormer::CosFormer(const LinearOptions& options, Index max_length)
    : FastWeightsAttention({.name = "cos_former", .looks = Looks::both_or_back, .normalised = true},
                           options),
      q_proj(projection("q_proj", H() * K())),
      k_proj(projection("k_proj", H() * K())),
      v_proj(projection("v_proj", H() * V())),
      out_proj(projection("out_proj", H() * V(), E())),
      max_length_(max_length) {
  if (max_length > 0) return;
  throw ValueError(fmt::format("cos_former: max_length {} must be positive", max_length));
}

FastWeightsAttention::Steps CosFormer::steps(const Tensor& x, PastSteps& past) const {
  const Index T = x.size(1), end = past.first() + T;
  if (end > max_length_) {
    throw ShapeError(fmt::format("cos_former: {} steps are more than max_length {}: x is {}", end,
                                 max_length_, describe(x)));
  }
  const Tensor places = heed::to(unsqueeze(arange(past.first(), end), 1), DType::f64);  // [T, 1]
  const Tensor angles = places * (std::numbers::pi / 2 / static_cast<double>(max_length_));
  const Tensor c = heed::to(cos(angles), x.dtype()), s = heed::to(sin(angles), x.dtype());
  const auto turned = [&](const Tensor& features) {
    const Tensor r = relu(split_heads(features));
    return concat({r * c, r * s}, -1);
  };
  return {{.q = turned(q_proj(x)), .k = turned(k_proj(x)), .v = split_heads(v_proj(x))}};
}

Tensor CosFormer::output(const Tensor& y, const Tensor&, const Tensor&) const {
  return out_proj(join_heads(y));
}

}  // namespace heed::attention
