#include "compare.h"

#include <cmath>

#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../check_defined.h"

namespace heed {

using kernels::Compare;

namespace {

Tensor compare(Compare op, const Tensor& x, const Tensor& y) {
  check_defined("compare", x, "x", y, "y");
  return kernels::compare(op, x.array(), y.array());
}

// i64 and bool beside a number: as i64 where the number is one, else as f64.
Tensor compare(Compare op, const Tensor& x, double y, const char* x_name = "x") {
  check_defined("compare", x, x_name);
  DType dtype = x.dtype();
  if (!is_floating(dtype)) {
    const bool whole = y == std::floor(y) && std::fabs(y) < 0x1p63;
    dtype = whole ? DType::i64 : DType::f64;
  }
  return kernels::compare(op, x.array().to(dtype), Array::full({}, y, dtype));
}

}  // namespace

Tensor operator==(const Tensor& x, const Tensor& y) { return compare(Compare::eq, x, y); }
Tensor operator!=(const Tensor& x, const Tensor& y) { return compare(Compare::ne, x, y); }
Tensor operator<(const Tensor& x, const Tensor& y) { return compare(Compare::lt, x, y); }
Tensor operator<=(const Tensor& x, const Tensor& y) { return compare(Compare::le, x, y); }
Tensor operator>(const Tensor& x, const Tensor& y) { return compare(Compare::gt, x, y); }
Tensor operator>=(const Tensor& x, const Tensor& y) { return compare(Compare::ge, x, y); }

Tensor operator==(const Tensor& x, double y) { return compare(Compare::eq, x, y); }
Tensor operator!=(const Tensor& x, double y) { return compare(Compare::ne, x, y); }
Tensor operator<(const Tensor& x, double y) { return compare(Compare::lt, x, y); }
Tensor operator<=(const Tensor& x, double y) { return compare(Compare::le, x, y); }
Tensor operator>(const Tensor& x, double y) { return compare(Compare::gt, x, y); }
Tensor operator>=(const Tensor& x, double y) { return compare(Compare::ge, x, y); }
Tensor operator==(double x, const Tensor& y) { return compare(Compare::eq, y, x, "y"); }
Tensor operator!=(double x, const Tensor& y) { return compare(Compare::ne, y, x, "y"); }
Tensor operator<(double x, const Tensor& y) { return compare(Compare::gt, y, x, "y"); }
Tensor operator<=(double x, const Tensor& y) { return compare(Compare::ge, y, x, "y"); }
Tensor operator>(double x, const Tensor& y) { return compare(Compare::lt, y, x, "y"); }
Tensor operator>=(double x, const Tensor& y) { return compare(Compare::le, y, x, "y"); }

Tensor logical_not(const Tensor& x) {
  check_defined("logical_not", x, "x");
  return kernels::logical_not(x.array());
}
Tensor logical_and(const Tensor& x, const Tensor& y) {
  check_defined("logical_and", x, "x", y, "y");
  return kernels::logical_and(x.array(), y.array());
}
Tensor logical_or(const Tensor& x, const Tensor& y) {
  check_defined("logical_or", x, "x", y, "y");
  return kernels::logical_or(x.array(), y.array());
}
Tensor logical_xor(const Tensor& x, const Tensor& y) {
  check_defined("logical_xor", x, "x", y, "y");
  return kernels::logical_xor(x.array(), y.array());
}

Tensor isnan(const Tensor& x) {
  check_defined("isnan", x, "x");
  return kernels::classify(kernels::Kind::nan, x.array());
}
Tensor isinf(const Tensor& x) {
  check_defined("isinf", x, "x");
  return kernels::classify(kernels::Kind::infinite, x.array());
}
Tensor isfinite(const Tensor& x) {
  check_defined("isfinite", x, "x");
  return kernels::classify(kernels::Kind::finite, x.array());
}

}  // namespace heed
