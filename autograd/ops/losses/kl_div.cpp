#include "kl_div.h"

#include "../elementwise/elementwise.h"
#include "loss_operands.h"

namespace heed {

Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction, bool log_target) {
  check_pair("kl_div", input, target);
  if (log_target) return reduce_losses("kl_div", exp(target) * (target - input), reduction);
  const Tensor zero = tensor(0, input.dtype());
  const Tensor is_zero = target == zero;
  const Tensor log_of_target = log(where(is_zero, tensor(1, input.dtype()), target));
  // Beside a target of 0 an input of minus infinity counts for nothing.
  return reduce_losses("kl_div", target * (log_of_target - where(is_zero, zero, input)), reduction);
}

}  // namespace heed
