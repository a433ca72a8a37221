#include "finite.h"

#include <cmath>
#include <limits>

#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise.h"
#include "../autograd/ops/matmul.h"
#include "../autograd/ops/reduce.h"
#include "../autograd/ops/shape.h"

namespace heed::attention {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor either(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? logical_or(a, b) : a;
}

// bool [.., Q, d]: whether a query may attend to any key [.., K, d] that is marked.
Tensor sees(const Tensor& allowed, const Tensor& marked) {
  return matmul(to(allowed, DType::f32), to(marked, DType::f32)) > 0;
}

// The mask's tensor but for its window: mostly one row for all queries.
Tensor without_window(const Mask& mask, const Shape& scores) {
  Mask out;
  if (mask.has_lengths()) out = Mask::lengths(mask.key_lengths(), scores[scores.rank() - 1]);
  const Tensor rest = mask.rest(scores);
  return (rest.defined() ? out & Mask(rest) : out).tensor(scores);
}

// Whether no query may attend to what is marked in [.., K, d].
bool hidden(const Tensor& marked, const Tensor& allowed) {
  if (!marked.defined() || !allowed.defined()) return !marked.defined();
  const Tensor keys = transpose(any(marked, {-1}, true), -2, -1);  // [.., 1, K]
  return any(logical_and(allowed, keys)).array().item() == 0;
}

}  // namespace

FinitePart finite_part(const Tensor& x) {
  // One pass that writes nothing: a sum is finite only where all of its terms are.
  if (std::isfinite(sum(x.detach()).item())) return {x, Tensor()};
  const Tensor finite = isfinite(x);
  if (all(finite).array().item() != 0) return {x, Tensor()};
  return {where(finite, x, 0), logical_not(finite)};
}

Tensor spread_not_finite(const Tensor& context, NotFinite what, const Mask& mask,
                         const Shape& scores, Tensor* weights) {
  const Tensor by_key = without_window(mask, scores);
  if (hidden(what.keys, by_key)) what.keys = Tensor();
  if (hidden(what.values, by_key)) what.values = Tensor();
  if (!what.any()) return context;
  const Tensor may = expand(mask.tensor(scores), scores);
  Tensor rows;  // [.., Q, 1]
  if (what.queries.defined()) {
    rows = logical_and(any(what.queries, {-1}, true), any(may, {-1}, true));
  }
  if (what.keys.defined()) rows = either(rows, sees(may, any(what.keys, {-1}, true)));
  if (weights != nullptr && weights->defined() && rows.defined()) {
    Tensor places = logical_and(rows, may);
    if (weights->rank() > scores.rank()) places = unsqueeze(places, -1);
    *weights = where(places, kNaN, *weights);
  }
  if (what.values.defined()) rows = either(rows, sees(may, what.values));
  return where(rows, kNaN, context);
}

}  // namespace heed::attention
