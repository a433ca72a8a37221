#include "gaussian_bias.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../autograd/factories.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {

Tensor gaussian_bias(const Tensor& centres, Index keys, double sigma) {
  check_defined("gaussian_bias", centres, "centres");
  check_floating("gaussian_bias", centres.dtype());
  if (!(sigma > 0) || !std::isfinite(sigma)) {
    throw ValueError(fmt::format("gaussian_bias: sigma {} must be positive", sigma));
  }
  if (centres.rank() == 0) throw ShapeError("gaussian_bias: centres must be [.., Q], not a number");
  if (keys < 0) {
    throw ShapeError(fmt::format("gaussian_bias: {} queries and {} keys", centres.size(-1), keys));
  }
  const Tensor off = arange(keys, centres.dtype()) - unsqueeze(centres, -1);
  return square(off) * (-0.5 / (sigma * sigma));
}

}  // namespace heed::attention
