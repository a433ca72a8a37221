#include "short_convolution.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"

namespace heed::attention {
namespace {

Shape checked(Index width, Index steps) {
  if (width > 0 && steps > 0) return {width, steps};
  throw ValueError(
      fmt::format("short_convolution: width {} and steps {} must be positive", width, steps));
}

}  // namespace

ShortConvolution::ShortConvolution(Index width, Index steps, DType dtype)
    : weight(parameter("weight", zeros(checked(width, steps), dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(steps));
  nn::uniform_(weight, -bound, bound);
}

Tensor ShortConvolution::operator()(const Tensor& x, PastSteps& past) const {
  const Scope scope(*this);
  const Index C = weight.size(1), T = x.size(1);
  const Tensor all = past.with_past(x, C - 1);
  Tensor y;
  for (Index j = 0; j < C; ++j) {
    const Tensor term = narrow(all, 1, j, T) * select(weight, 1, j);
    y = j == 0 ? term : y + term;
  }
  return forwarded(silu(y));
}

}  // namespace heed::attention
