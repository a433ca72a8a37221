#include "learned.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../nn/init.h"

namespace heed::attention {
namespace {

Shape checked(Index max_steps, Index width) {
  if (max_steps > 0 && width > 0) return Shape{max_steps, width};
  throw ValueError(fmt::format("learned_positions: max_steps {} and width {} must be positive",
                               max_steps, width));
}

}  // namespace

LearnedPositions::LearnedPositions(Index max_steps, Index width, DType dtype)
    : weight(parameter("weight", zeros(checked(max_steps, width), dtype))) {
  nn::normal_(weight, 0, 0.02);
}

Tensor LearnedPositions::operator()(const Tensor& x, Index first) const {
  const Scope scope(*this);
  check_defined("learned_positions", x, "x");
  if (x.rank() < 2 || x.size(-1) != weight.size(1)) {
    throw ShapeError(fmt::format("learned_positions: x must be [.., T, {}], not {}", weight.size(1),
                                 describe(x)));
  }
  if (x.dtype() != weight.dtype()) {
    throw DTypeError(fmt::format("learned_positions: x is {}, the weights are {}", describe(x),
                                 name(weight.dtype())));
  }
  if (first < 0 || first > weight.size(0) - x.size(-2)) {
    throw IndexError(fmt::format("learned_positions: {} steps from {} are not in [0, {})",
                                 x.size(-2), first, weight.size(0)));
  }
  return forwarded(x + narrow(weight, 0, first, x.size(-2)));
}

}  // namespace heed::attention
