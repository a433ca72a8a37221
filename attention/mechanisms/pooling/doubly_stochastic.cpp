#include "doubly_stochastic.h"

#include <fmt/format.h>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

namespace heed::attention {
namespace {

void check_real(const char* what, const Tensor& real, Index batch, Index count) {
  if (!real.defined()) return;
  if (real.dtype() != DType::boolean) {
    throw DTypeError(
        fmt::format("doubly_stochastic_penalty: {} must be bool, not {}", what, describe(real)));
  }
  if (real.shape() != Shape{batch, count}) {
    throw ShapeError(fmt::format("doubly_stochastic_penalty: {} must be bool[{}, {}], not {}", what,
                                 batch, count, describe(real)));
  }
}

}  // namespace

Tensor doubly_stochastic_penalty(const Tensor& weights, const Tensor& steps, const Tensor& places) {
  check_defined("doubly_stochastic_penalty", weights, "weights");
  check_floating("doubly_stochastic_penalty", weights.dtype());
  if (weights.rank() != 3) {
    throw ShapeError("doubly_stochastic_penalty: weights must be [B, T, K], not " +
                     describe(weights));
  }
  check_real("steps", steps, weights.size(0), weights.size(1));
  check_real("places", places, weights.size(0), weights.size(2));
  Tensor real = weights;
  if (steps.defined()) real = where(unsqueeze(steps, -1), real, 0);
  if (places.defined()) real = where(unsqueeze(places, -2), real, 0);
  Tensor missing = 1 - sum(real, {1});  // [B, K]
  if (places.defined()) missing = where(places, missing, 0);
  return sum(square(missing), {1});
}

}  // namespace heed::attention
