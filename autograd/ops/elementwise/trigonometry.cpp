#include "trigonometry.h"

#include "../../../core/kernels/elementwise/libm.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "elementwise.h"

namespace heed {

using kernels::Libm;

namespace {

Array apply(Libm op, const Tensor& x) {
  check_defined(name(op), x, "x");
  return kernels::libm(op, x.array());
}

// x / (x^2 + y^2), by numbers near 1, whose squares stay numbers.
Tensor over_squares(const Tensor& x, const Tensor& y) {
  const Tensor larger = maximum(abs(x.detach()), abs(y.detach()));
  const Tensor unit = where(logical_and(larger > 0, isfinite(larger)), larger, 1);
  const Tensor u = x / unit, v = y / unit;
  return u / (square(u) + square(v)) / unit;
}

}  // namespace

// gx = g (1 + y^2)
Tensor tan(const Tensor& x) {
  const Array y = apply(Libm::tan, x);
  return record(Op::tan, y, {x},
                [y = SavedOutput(y)](const Tensor& g) { return g * (1 + square(y())); });
}

// gx = g / sqrt(1 - x^2)
Tensor asin(const Tensor& x) {
  return record(Op::asin, apply(Libm::asin, x), {x},
                [x = Saved(x)](const Tensor& g) { return g * rsqrt(1 - square(x())); });
}

Tensor acos(const Tensor& x) {
  return record(Op::acos, apply(Libm::acos, x), {x},
                [x = Saved(x)](const Tensor& g) { return -(g * rsqrt(1 - square(x()))); });
}

// gx = g / (1 + x^2)
Tensor atan(const Tensor& x) {
  return record(Op::atan, apply(Libm::atan, x), {x},
                [x = Saved(x)](const Tensor& g) { return g / (1 + square(x())); });
}

Tensor sinh(const Tensor& x) {
  return record(Op::sinh, apply(Libm::sinh, x), {x},
                [x = Saved(x)](const Tensor& g) { return g * cosh(x()); });
}

Tensor cosh(const Tensor& x) {
  return record(Op::cosh, apply(Libm::cosh, x), {x},
                [x = Saved(x)](const Tensor& g) { return g * sinh(x()); });
}

// gy = g x / (x^2 + y^2),  gx = -g y / (x^2 + y^2)
Tensor atan2(const Tensor& y, const Tensor& x) {
  check_defined("atan2", y, "y", x, "x");
  return record(
      Op::atan2, kernels::libm(kernels::LibmOfTwo::atan2, y.array(), x.array()), {y, x},
      [y = Saved(y), x = Saved(x)](const Tensor& g) { return g * over_squares(x(), y()); },
      [y = Saved(y), x = Saved(x)](const Tensor& g) { return -(g * over_squares(y(), x())); });
}

}  // namespace heed
