#include "drawn_rates.h"

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"

namespace heed::attention {

Tensor drawn_log_rates(Index heads, DType dtype) {
  return log(1 + 15 * rand(Shape{heads}, dtype)).detach();
}

// softplus(b) = d where b = d + log(1 - exp(-d)).
Tensor drawn_step_bias(Index heads, DType dtype) {
  const double low = std::log(0.001), high = std::log(0.1);
  const Tensor d = exp(low + (high - low) * rand(Shape{heads}, dtype));
  return (d + log(-expm1(-d))).detach();
}

}  // namespace heed::attention
