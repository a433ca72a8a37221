#include "standardize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "../shape/shape.h"

namespace heed {
namespace {

// The mean, where that of nothing is 0.
Tensor average(const Tensor& x, const std::vector<Index>& axes) {
  Index count = 1;
  for (const Index axis : axes) count *= x.shape()[axis];
  return sum(x, axes, true) / static_cast<double>(std::max<Index>(1, count));
}

struct Parts {
  Tensor z, scale;
};
Parts parts_of(const Tensor& x, const Standardization& how) {
  const Tensor centred = how.centred ? x - average(x, how.axes) : x;
  const Tensor scale = reciprocal(sqrt(average(square(centred), how.axes) + how.eps));
  return {centred * scale, scale};
}

// gx = scale (h - mean(h) - z mean(h z)), h = g weight; gweight = g z, gbias = g
Gradients plain_gradients(const Tensor& g, const Tensor& x, const Tensor& weight,
                          const Standardization& how) {
  const auto [z, scale] = parts_of(x, how);
  const Tensor h = weight.defined() ? g * weight : g;
  const Tensor across = how.centred ? h - average(h, how.axes) : h;
  return {scale * (across - z * average(h * z, how.axes)), g * z, g};
}

}  // namespace

Tensor standardize(const Tensor& x, const Tensor& weight, const Tensor& bias,
                   const Standardization& how, kernels::Standardized* seen) {
  const auto numbers = [](const Tensor& t) { return t.defined() ? t.array() : Array(); };
  const auto out = kernels::standardize(x.array(), numbers(weight), numbers(bias), how.layout,
                                        how.eps, how.centred);
  if (seen) *seen = out;
  const Shape affine = weight.defined() ? weight.shape() : bias.defined() ? bias.shape() : Shape{};
  say("axes", how.axes, "eps", how.eps, "centred", how.centred);
  return record_joint(
      how.op, {out.y}, {x, weight, bias},
      [x = Saved(x), weight = Saved(weight), mean = out.mean, variance = out.variance, affine, how](
          const Gradients& g, const std::vector<bool>& needs) {
        if (recording()) return plain_gradients(g[0], x(), weight(), how);
        const Index weights = needs[1] || needs[2] ? affine.numel() : 0;
        const auto grads = kernels::standardize_grad(
            g[0].array(), x.array(), weight.defined() ? weight.array() : Array(), mean, variance,
            how.layout, how.eps, how.centred, weights);
        const auto shaped = [&](const Array& sums) {
          return weights == 0 ? zeros(affine, g[0].dtype()) : Tensor(sums.reshape(affine));
        };
        return Gradients{grads.x, shaped(grads.weight), shaped(grads.bias)};
      })[0];
}

Tensor standardize_plain(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const Standardization& how) {
  Tensor y = parts_of(x, how).z;
  if (weight.defined()) y = y * weight;
  return bias.defined() ? y + bias : y;
}

void check_affine(const char* op, const char* what, const Tensor& weight, const Tensor& x,
                  const Shape& shape) {
  if (!weight.defined()) return;
  if (weight.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("{}: dtypes differ: x is {}, {} is {}", op, describe(x), what,
                                 describe(weight)));
  }
  if (!(weight.shape() == shape)) {
    throw ShapeError(
        fmt::format("{}: {} must be {}, not {}", op, what, to_string(shape), describe(weight)));
  }
}

void check_eps(const char* op, double eps) {
  if (!(eps >= 0 && std::isfinite(eps))) {
    throw ValueError(fmt::format("{}: eps {} is not a number of at least 0", op, eps));
  }
}

}  // namespace heed
