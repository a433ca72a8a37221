#include <cmath>

#include "../../../autograd/ops/elementwise.h"
#include "../../../autograd/record.h"
#include "../../../core/error.h"
#include "../../../core/kernels/elementwise.h"
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

}  // namespace

std::vector<Row> function_rows() {
  Row row = unary(
      Op::function, softsign, [](double x) { return x / (1 + std::fabs(x)); }, Domain::nonzero);
  row.bad_calls = bad_operands("abs", softsign);
  return {row};
}

}  // namespace heed::table
