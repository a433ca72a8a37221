#include "prelu.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../shape/shape.h"
#include "../shape/widened.h"
#include "elementwise.h"

namespace heed {

Tensor prelu(const Tensor& x, const Tensor& weight) {
  check_defined("prelu", x, "x", weight, "weight");
  if (detail::hold_bf16(x, weight)) return prelu(detail::wide(x), detail::wide(weight));
  check_floating("prelu", x.dtype());
  if (weight.dtype() != x.dtype()) {
    throw DTypeError(fmt::format("prelu: weight is {} for x {}", describe(weight), describe(x)));
  }
  const Index channels = x.rank() < 2 ? 1 : x.size(1);
  if (weight.rank() != 1 || (weight.size(0) != 1 && weight.size(0) != channels)) {
    throw ShapeError(fmt::format("prelu: weight must be [1] or [{}], not {}, for x {}", channels,
                                 describe(weight), describe(x)));
  }
  Shape aligned = Shape::filled(x.rank(), 1);
  if (weight.size(0) != 1) aligned[1] = channels;
  // Masked within the product as well: its derivatives multiply what is not taken by 0, which would
  // be NaN of infinities.
  const Tensor above = x > 0.0;
  return where(above, x, reshape(weight, aligned) * where(above, 0.0, x));
}

}  // namespace heed
