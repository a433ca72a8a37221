#include "close.h"

#include <cmath>

#include "../../../core/error.h"
#include "../../check_defined.h"
#include "../reduce/reduce.h"
#include "elementwise.h"

namespace heed {

Tensor isclose(const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
  check_defined("isclose", x, "x", y, "y");
  Tensor same = x.detach() == y.detach();
  if (!is_floating(x.dtype())) {
    if (rtol == 0 && atol == 0) return same;
    const Tensor a = x.array().to(DType::f64);
    const Tensor b = y.array().to(DType::f64);
    return abs(a - b) <= atol + rtol * abs(b);
  }
  const Tensor a = x.detach();
  const Tensor b = y.detach();
  Tensor close = same | (isfinite(a) & isfinite(b) & (abs(a - b) <= atol + rtol * abs(b)));
  if (equal_nan) close = close | (isnan(a) & isnan(b));
  return close;
}

bool allclose(const Tensor& x, const Tensor& y, double rtol, double atol, bool equal_nan) {
  return all(isclose(x, y, rtol, atol, equal_nan)).item<bool>();
}

bool equal(const Tensor& x, const Tensor& y) {
  check_defined("equal", x, "x", y, "y");
  return x.shape() == y.shape() && all(x == y).item<bool>();
}

}  // namespace heed
