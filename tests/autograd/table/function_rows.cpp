#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/record.h"
#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "table.h"

namespace heed::table {
namespace {

// What a user may write: y = x / (1 + |x|), gx = g / (1 + |x|)^2.
Tensor softsign(const Tensor& x) {
  Array out;
  {
    const NoGrad scope;
    out = (x / (1 + abs(x))).array();
  }
  return record(Op::function, out, {x},
                [x = Saved(x)](const Tensor& g) { return g / square(1 + abs(x())); });
}

// Of two tensors that broadcast: out = sqrt(x^2 + y^2), gx = g x / out, gy = g y / out.
Tensor hypot(const Tensor& x, const Tensor& y) {
  check_defined("hypot", x, "x", y, "y");
  Array out;
  {
    const NoGrad scope;
    out = sqrt(square(x) + square(y)).array();
  }
  return record(
      Op::function, out, {x, y},
      [x = Saved(x), out = SavedOutput(out)](const Tensor& g) { return g * x() / out(); },
      [y = Saved(y), out = SavedOutput(out)](const Tensor& g) { return g * y() / out(); });
}

Row hypot_row() {
  Row row = binary(
      "hypot", hypot, [](double x, double y) { return std::hypot(x, y); }, Domain::nonzero,
      Domain::nonzero);
  row.bad_calls = {
      BAD(GradError, "hypot: x is undefined", hypot(Tensor(), of(3))),
      BAD(GradError, "hypot: y is undefined", hypot(of(3), Tensor())),
      BAD(ShapeError, "add: shapes [3, 5] and [3] do not broadcast", hypot(of(3, 5), of(3))),
      BAD(DTypeError, "add: dtypes differ: x is f32[3], y is f64[3]",
          hypot(of(3), of<DType::f64>(3))),
      BAD(DTypeError, "sqrt: takes f32 or f64, not i64",
          hypot(of<DType::i64>(3), of<DType::i64>(3)))};
  return row;
}

}  // namespace

std::vector<Row> function_rows() {
  Row row = unary(
      Op::function, softsign, [](double x) { return x / (1 + std::fabs(x)); }, Domain::nonzero);
  row.bad_calls = bad_operands("abs", softsign);
  row.bad_calls[2] = BAD(DTypeError, "abs: takes f32 or f64, not bool",
                         softsign(of<DType::boolean>()));  // i64 has an abs
  return {row, hypot_row()};
}

}  // namespace heed::table
