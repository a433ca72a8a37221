#include "pointer.h"

#include <fmt/format.h>

#include <limits>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "../../score.h"

namespace heed::attention {
namespace {

Index checked(Index query_width, Index key_width, Index hidden) {
  if (query_width > 0 && key_width > 0 && hidden > 0) return query_width;
  throw ValueError(
      fmt::format("pointer: query_width {}, key_width {} and hidden {} must be positive",
                  query_width, key_width, hidden));
}

}  // namespace

Pointer::Pointer(Index query_width, Index key_width, Index hidden, DType dtype)
    : score(child<Additive>("score", checked(query_width, key_width, hidden), key_width, hidden,
                            false, dtype)) {}

Memory Pointer::prepare(const Tensor& keys, const Mask& mask) const {
  check_batch("pointer", "keys", keys);
  return named("pointer", [&] { return Memory(score, keys, keys, mask); });
}

Tensor Pointer::operator()(const Tensor& query, const Memory& memory, const Mask& own) const {
  const Scope scope(*this);
  check_batch("pointer", "query", query);
  if (query.size(0) != memory.keys().size(0)) {
    throw ShapeError(fmt::format("pointer: {} rows of queries and {} of keys", query.size(0),
                                 memory.keys().size(0)));
  }
  const Mask mask = memory.mask() & own;
  const FinitePart q = finite_part(query), k = finite_part(memory.keys());
  Tensor scores = named("pointer", [&] { return score(q.x, k.x); });
  const Shape shape = scores.shape();
  if (shape[2] == 0) return forwarded(scores);
  const Tensor allowed = mask.tensor(shape, "pointer");
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  if (allowed.defined()) {
    // A row of -infinity alone has no softmax: it is 0 on the way, and never in the end.
    scores = where(any(allowed, {-1}, true), where(allowed, scores, kNever), 0);
  }
  Tensor out = log_softmax(scores, -1);
  if (allowed.defined()) out = where(allowed, out, kNever);
  const NotFinite bad{q.bad, k.bad, Tensor()};
  return forwarded(bad.any() ? spread_not_finite(out, bad, mask, shape, nullptr) : out);
}

}  // namespace heed::attention
