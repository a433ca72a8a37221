#include "checks.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/shape/widened.h"
#include "../../core/error.h"
#include "../terms.h"

namespace heed::attention {

Shape scores_shape(const char* op, const Tensor& query, const Tensor& keys) {
  check_defined(op, query, "query", keys, "keys");
  if (query.rank() < 2 || keys.rank() < 2) {
    throw ShapeError(
        fmt::format("{}: query must be [.., Q, dq] and keys [.., K, dk], not {} and {}", op,
                    describe(query), describe(keys)));
  }
  const auto leading = [](const Tensor& x) { return Shape(x.shape().begin(), x.rank() - 2); };
  Shape shape = broadcast_shapes(op, leading(query), leading(keys));
  shape.push_back(query.size(-2));
  shape.push_back(keys.size(-2));
  return shape;
}

void check_rows(const char* op, const char* what, const Tensor& x, Index width, DType dtype) {
  check_defined(op, x, what);
  if (x.rank() < 2 || x.size(-1) != width) {
    throw ShapeError(
        fmt::format("{}: {} must be [.., n, {}], not {}", op, what, width, describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(fmt::format("{}: {} must be {}, not {}", op, what, name(dtype), describe(x)));
  }
}

void check_batch(const char* op, const char* what, const Tensor& x) {
  check_defined(op, x, what);
  if (x.rank() == 3) return;
  throw ShapeError(fmt::format("{}: {} must be [B, n, width], not {}", op, what, describe(x)));
}

Terms wide_beside(DType scores, Terms terms) {
  if (scores != DType::f32) return terms;
  for (Tensor* const each : {&terms.bias, &terms.offset_bias, &terms.sinks}) {
    *each = heed::detail::wide(*each);
  }
  return terms;
}

}  // namespace heed::attention
