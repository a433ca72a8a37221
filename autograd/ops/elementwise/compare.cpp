#include "compare.h"

#include <cmath>

#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../check_defined.h"
#include "../../computed.h"
#include "../../record.h"
#include "../shape/shape.h"
#include "in_i64.h"

namespace heed {

using kernels::Compare;

namespace {

const char* name_of(Compare op) {
  switch (op) {
    case Compare::eq: return "eq";
    case Compare::ne: return "ne";
    case Compare::lt: return "lt";
    case Compare::le: return "le";
    case Compare::gt: return "gt";
    case Compare::ge: break;
  }
  return "ge";
}

Tensor compare(Compare op, const Tensor& x, const Tensor& y) {
  check_defined("compare", x, "x", y, "y");
  return computed(name_of(op), kernels::compare(op, x.array(), y.array()), {x, y});
}

// Whether it is a value of i64.
bool is_whole(Scalar number) {
  return number.value() == std::floor(number.value()) && in_i64(number);
}

// i64 and bool beside a number: as i64 where the number is one, else as f64.
Tensor compare(Compare op, const Tensor& x, Scalar y, const char* x_name = "x") {
  check_defined("compare", x, x_name);
  DType dtype = widened(x.dtype());
  if (!is_floating(dtype)) dtype = is_whole(y) ? DType::i64 : DType::f64;
  return compare(op, to(x, dtype), full(Shape{}, y, dtype));
}

}  // namespace

Tensor operator==(const Tensor& x, const Tensor& y) { return compare(Compare::eq, x, y); }
Tensor operator!=(const Tensor& x, const Tensor& y) { return compare(Compare::ne, x, y); }
Tensor operator<(const Tensor& x, const Tensor& y) { return compare(Compare::lt, x, y); }
Tensor operator<=(const Tensor& x, const Tensor& y) { return compare(Compare::le, x, y); }
Tensor operator>(const Tensor& x, const Tensor& y) { return compare(Compare::gt, x, y); }
Tensor operator>=(const Tensor& x, const Tensor& y) { return compare(Compare::ge, x, y); }

Tensor operator==(const Tensor& x, Scalar y) { return compare(Compare::eq, x, y); }
Tensor operator!=(const Tensor& x, Scalar y) { return compare(Compare::ne, x, y); }
Tensor operator<(const Tensor& x, Scalar y) { return compare(Compare::lt, x, y); }
Tensor operator<=(const Tensor& x, Scalar y) { return compare(Compare::le, x, y); }
Tensor operator>(const Tensor& x, Scalar y) { return compare(Compare::gt, x, y); }
Tensor operator>=(const Tensor& x, Scalar y) { return compare(Compare::ge, x, y); }
Tensor operator==(Scalar x, const Tensor& y) { return compare(Compare::eq, y, x, "y"); }
Tensor operator!=(Scalar x, const Tensor& y) { return compare(Compare::ne, y, x, "y"); }
Tensor operator<(Scalar x, const Tensor& y) { return compare(Compare::gt, y, x, "y"); }
Tensor operator<=(Scalar x, const Tensor& y) { return compare(Compare::ge, y, x, "y"); }
Tensor operator>(Scalar x, const Tensor& y) { return compare(Compare::lt, y, x, "y"); }
Tensor operator>=(Scalar x, const Tensor& y) { return compare(Compare::le, y, x, "y"); }

Tensor logical_not(const Tensor& x) {
  check_defined("logical_not", x, "x");
  return computed("logical_not", kernels::logical_not(x.array()), {x});
}
Tensor logical_and(const Tensor& x, const Tensor& y) {
  check_defined("logical_and", x, "x", y, "y");
  return computed("logical_and", kernels::logical_and(x.array(), y.array()), {x, y});
}
Tensor logical_or(const Tensor& x, const Tensor& y) {
  check_defined("logical_or", x, "x", y, "y");
  return computed("logical_or", kernels::logical_or(x.array(), y.array()), {x, y});
}
Tensor logical_xor(const Tensor& x, const Tensor& y) {
  check_defined("logical_xor", x, "x", y, "y");
  return computed("logical_xor", kernels::logical_xor(x.array(), y.array()), {x, y});
}

Tensor isnan(const Tensor& x) {
  check_defined("isnan", x, "x");
  return computed("isnan", kernels::classify(kernels::Kind::nan, x.array()), {x});
}
Tensor isinf(const Tensor& x) {
  check_defined("isinf", x, "x");
  return computed("isinf", kernels::classify(kernels::Kind::infinite, x.array()), {x});
}
Tensor isfinite(const Tensor& x) {
  check_defined("isfinite", x, "x");
  return computed("isfinite", kernels::classify(kernels::Kind::finite, x.array()), {x});
}

}  // namespace heed
