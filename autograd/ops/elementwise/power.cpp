#include "power.h"

#include <cmath>
#include <cstdint>

#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "elementwise.h"

namespace heed {

using kernels::Binary;

namespace {

Tensor by_x(const Tensor& x, const Tensor& y) {
  if (!recording()) return kernels::binary(Binary::pow_by_x, x.array(), y.array());
  // At y = 0 it is 0, and its own derivative by y is 1 / x, where that is a number.
  const Tensor size = square(x.detach());
  const Tensor flat = logical_and(y == 0, logical_not(isfinite(size + 1 / size)));
  return where(flat, 0, y * pow(where(flat, 1, x), y - 1));
}

Tensor by_y(const Tensor& x, const Tensor& y) {
  if (!recording()) return kernels::binary(Binary::pow_by_y, x.array(), y.array());
  const Tensor flat = logical_and(x == 0, y >= 0);
  const Tensor base = where(flat, 1, x);
  return where(flat, 0, pow(base, y) * log(base));
}

// By squares.
Tensor whole_power(Tensor x, std::uint64_t y) {
  Tensor out = ones_like(x);
  for (; y > 0; y /= 2) {
    if (y % 2 == 1) out = out * x;
    if (y > 1) x = x * x;
  }
  return out;
}

}  // namespace

Tensor pow(const Tensor& x, const Tensor& y) {
  check_defined("pow", x, "x", y, "y");
  return record(
      Op::pow, kernels::binary(Binary::pow, x.array(), y.array()), {x, y},
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return g * by_x(x(), y()); },
      [x = Saved(x), y = Saved(y)](const Tensor& g) { return g * by_y(x(), y()); });
}

Tensor pow(const Tensor& x, double y) {
  check_defined("pow", x, "x");
  if (x.dtype() == DType::i64 && y >= 0 && y < 0x1p63 && y == std::trunc(y)) {
    return whole_power(x, static_cast<std::uint64_t>(y));
  }
  Array out = kernels::binary(Binary::pow, x.array(), Array::full(Shape{}, y, widened(x.dtype())));
  say("y", y);
  return record(Op::pow, std::move(out), {x}, [x = Saved(x), y](const Tensor& g) {
    if (y == 0) return zeros(g.shape(), g.dtype());
    return g * (y * pow(x(), y - 1));
  });
}

Tensor pow(double x, const Tensor& y) {
  check_defined("pow", y, "y");
  return pow(tensor(x, widened(y.dtype())), y);
}

}  // namespace heed
