#include "triangle.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../factories.h"
#include "../elementwise/compare.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"
#include "shape.h"
#include "slicing.h"

namespace heed {
namespace {

// By operators that can be followed: how far each place of [.., rows, columns] is behind the
// diagonal.
Tensor followed_places(const Tensor& x) {
  return arange(x.size(-1)) - unsqueeze(arange(x.size(-2)), 1);
}

// x where `kept`, else 0, in x's dtype: where() gives f32 for bf16.
Tensor kept_of(const Tensor& x, const Tensor& kept) {
  const Tensor out = where(kept, x, zeros({}, x.dtype()));
  return out.dtype() == x.dtype() ? out : to(out, x.dtype());
}

template <class Keep>
Tensor where_kept(const char* op, const Tensor& x, const Keep& keep) {
  check_defined(op, x, "x");
  if (x.rank() < 2) throw ShapeError(fmt::format("{}: needs matrices, not {}", op, describe(x)));
  const Index rows = x.size(-2);
  const Index columns = x.size(-1);
  Array mask = Array::empty(Shape{rows, columns}, DType::boolean);
  bool* to = mask.mutable_data<bool>();
  for (Index row = 0; row < rows; ++row) {
    for (Index column = 0; column < columns; ++column) *to++ = keep(column - row);
  }
  return kept_of(x, mask);
}

}  // namespace

Tensor tril(const Tensor& x, Index diagonal) {
  if (traced() && x.rank() >= 2) {
    return kept_of(x, followed_places(x) <= static_cast<double>(diagonal));
  }
  return where_kept("tril", x, [diagonal](Index place) { return place <= diagonal; });
}

Tensor triu(const Tensor& x, Index diagonal) {
  if (traced() && x.rank() >= 2) {
    return kept_of(x, followed_places(x) >= static_cast<double>(diagonal));
  }
  return where_kept("triu", x, [diagonal](Index place) { return place >= diagonal; });
}

Tensor diag(const Tensor& x, Index offset) {
  check_defined("diag", x, "x");
  if (x.rank() == 1) return diag_embed(x, offset);
  if (x.rank() == 2) return diagonal(x, offset);
  throw ShapeError(fmt::format("diag: takes a vector or a matrix, not {}", describe(x)));
}

Tensor trace(const Tensor& x) {
  check_defined("trace", x, "x");
  if (x.rank() == 2) return sum(diagonal(x));
  throw ShapeError(fmt::format("trace: takes a matrix, not {}", describe(x)));
}

}  // namespace heed
