#include "regression_losses.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../elementwise/elementwise.h"
#include "loss_operands.h"

namespace heed {

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  check_pair("mse_loss", input, target);
  return reduce_losses("mse_loss", square(input - target), reduction);
}

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  check_pair("l1_loss", input, target);
  return reduce_losses("l1_loss", abs(input - target), reduction);
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, double beta, Reduction reduction) {
  check_pair("smooth_l1_loss", input, target);
  if (!(beta >= 0 && std::isfinite(beta))) {
    throw ValueError(fmt::format("smooth_l1_loss: beta {} must be finite and not negative", beta));
  }
  if (beta == 0) return l1_loss(input, target, reduction);
  const Tensor d = input - target;
  const Tensor size = abs(d);
  const Tensor far = size >= tensor(beta, d.dtype());        // NaN is not
  const Tensor inner = where(far, tensor(0, d.dtype()), d);  // no infinite slope of a square
  return reduce_losses("smooth_l1_loss",
                       where(far, size - 0.5 * beta, square(inner) * (0.5 / beta)), reduction);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, double delta, Reduction reduction) {
  check_defined("huber_loss", input, "input", target, "target");
  check_pair("huber_loss", input, target);
  if (!(delta > 0 && std::isfinite(delta))) {
    throw ValueError(fmt::format("huber_loss: delta {} must be positive and finite", delta));
  }
  return reduce_losses("huber_loss", delta * smooth_l1_loss(input, target, delta, Reduction::none),
                       reduction);
}

}  // namespace heed
