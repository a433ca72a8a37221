#include "transformer_output.h"

#include "../../../autograd/ops/elementwise/elementwise.h"

namespace heed::attention {

Tensor TransformerOutput::balance() const {
  Tensor total;
  for (const Routed& each : routed) {
    total = total.defined() ? total + each.balance : each.balance;
  }
  return total;
}

}  // namespace heed::attention
