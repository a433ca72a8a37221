#include "gradient_runs.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::optim {
namespace {

// Anyone may have made these rows: each must be there once, or threads would write one row
// together.
void check_rows(const char* op, const SparseRows& sparse) {
  Shape shape = sparse.shape;
  if (shape.rank() > 0) shape[0] = sparse.rows.numel();
  if (sparse.rows.rank() != 1 || sparse.shape.rank() < 1 || !(sparse.values.shape() == shape) ||
      !sparse.rows.is_contiguous() || !sparse.values.is_contiguous()) {
    throw ShapeError(fmt::format("{}: a sparse gradient's rows {} and values {} do not make {}", op,
                                 describe(sparse.rows), describe(sparse.values),
                                 to_string(sparse.shape)));
  }
  const auto* row = sparse.rows.data<std::int64_t>();
  std::int64_t next = 0;
  for (Index i = 0; i < sparse.rows.numel(); ++i) {
    if (row[i] < next || row[i] >= sparse.shape[0]) {
      throw IndexError(fmt::format(
          "{}: a sparse gradient's row {} at {} does not ascend or is out of range [0, {})", op,
          row[i], i, sparse.shape[0]));
    }
    next = row[i] + 1;
  }
}

}  // namespace

void check_gradient(const char* op, const Tensor& parameter) {
  const Tensor gradient = parameter.grad();
  if (!gradient.defined()) return;
  if (!(gradient.shape() == parameter.shape())) {
    throw ShapeError(fmt::format("{}: a gradient of {} for a parameter of {}", op,
                                 describe(gradient), describe(parameter)));
  }
  if (gradient.dtype() != parameter.dtype()) {
    throw DTypeError(fmt::format("{}: a gradient of {} for a parameter of {}", op,
                                 describe(gradient), describe(parameter)));
  }
  if (gradient.is_sparse()) check_rows(op, gradient.sparse_rows());
}

}  // namespace heed::optim
