#include "nan_guard.h"

#include <cmath>
#include <limits>
#include <vector>

#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/kernels/reduce/finite.h"

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

// Whether no query may attend to what is marked in [.., K, d].
bool hidden(const Tensor& marked, const Tensor& allowed) {
  if (!marked.defined() || !allowed.defined()) return !marked.defined();
  const Tensor keys = transpose(any(marked, {-1}, true), -2, -1);  // [.., 1, K]
  return any(logical_and(allowed, keys)).array().item() == 0;
}

// `rows` [.., Q, 1] (undefined: none) and all that go on from them; notes what the last one leaves.
Tensor with_those_after(const Tensor& rows, const Tensor& may, Onward& onward) {
  const Tensor sees_any = any(may, {-1}, true);
  const Tensor own = rows.defined() ? expand(rows, sees_any.shape()) : zeros(sees_any.shape()) > 0;
  Tensor before = onward.spoiled;
  std::vector<Tensor> out;
  for (Index i = 0; i < own.size(-2); ++i) {
    Tensor now = narrow(own, -2, i, 1);
    if (before.defined()) now = logical_or(now, logical_and(before, narrow(sees_any, -2, i, 1)));
    out.push_back(now);
    before = onward.state ? either(now, before) : now;
  }
  onward.spoiled = before;
  return out.empty() ? rows : concat(out, -2);
}

}  // namespace

Tensor by_keys(const Mask& mask, const Shape& scores, const char* op) {
  Mask out;
  if (mask.has_lengths()) out = Mask::lengths(mask.key_lengths(), scores[scores.rank() - 1]);
  const Tensor rest = mask.rest(scores, op);
  return (rest.defined() ? out & Mask(rest) : out).tensor(scores, op);
}

FinitePart finite_part(const Tensor& x) {
  if (x.dtype() == DType::bf16) return finite_part(to(x, DType::f32));
  if (kernels::all_finite(x.array())) return {x, Tensor()};
  const Tensor finite = isfinite(x);
  return {where(finite, x, 0), logical_not(finite)};
}

Tensor product_of_rows(const Tensor& a, const Tensor& b) {
  const FinitePart x = finite_part(a), y = finite_part(b);
  Tensor out = x.x * y.x;
  if (x.bad.defined()) out = with_bad_rows(out, x.bad);
  return y.bad.defined() ? with_bad_rows(out, y.bad) : out;
}

NanGuard::NanGuard(const Tensor& query, const Tensor& keys, const Tensor& values, const Mask& mask)
    : mask_(mask),
      query_(mask.all() ? FinitePart{query, Tensor()} : finite_part(query)),
      keys_{keys, Tensor()},
      values_{values, Tensor()},
      looked_(mask.all()) {}

void NanGuard::look_through() {
  if (looked_) return;
  keys_ = finite_part(keys_.x);
  values_ = finite_part(values_.x);
  looked_ = true;
}

Tensor NanGuard::spread(const Tensor& context, const Shape& scores, Tensor* weights,
                        Onward* onward) const {
  const NotFinite bad{query_.bad, keys_.bad, values_.bad};
  if (!bad.any() && (onward == nullptr || !onward->spoiled.defined())) return context;
  return spread_not_finite(context, bad, mask_, scores, weights, onward);
}

Tensor NanGuard::spread_sums(const Tensor& sums, const Shape& scores) const {
  const NotFinite bad{query_.bad, keys_.bad, Tensor()};
  if (!bad.any()) return sums;
  return squeeze(spread_not_finite(unsqueeze(sums, -1), bad, mask_, scores, nullptr), -1);
}

Tensor with_bad(const Tensor& y, const Tensor& bad) { return where(bad, kNaN, y); }

Tensor with_bad_rows(const Tensor& y, const Tensor& bad) {
  return with_bad(y, any(bad, {-1}, true));
}

Tensor spread_not_finite(const Tensor& context, NotFinite what, const Mask& mask,
                         const Shape& scores, Tensor* weights, Onward* onward) {
  const Tensor by_key = by_keys(mask, scores);
  if (hidden(what.keys, by_key)) what.keys = Tensor();
  if (hidden(what.values, by_key)) what.values = Tensor();
  const bool goes_on = onward != nullptr && onward->any();
  const bool spoiled = goes_on && onward->spoiled.defined();
  if (!what.any() && !spoiled) return context;
  const Tensor allowed = mask.tensor(scores);
  const Tensor may = allowed.defined() ? expand(allowed, scores) : zeros(scores) == 0;
  Tensor rows;  // [.., Q, 1]
  if (what.queries.defined()) {
    rows = logical_and(any(what.queries, {-1}, true), any(may, {-1}, true));
  }
  if (what.keys.defined()) rows = either(rows, sees(may, any(what.keys, {-1}, true)));
  if (goes_on && (rows.defined() || spoiled)) rows = with_those_after(rows, may, *onward);
  if (weights != nullptr && weights->defined() && rows.defined()) {
    Tensor places = logical_and(rows, may);
    if (weights->rank() > scores.rank()) places = unsqueeze(places, -1);
    *weights = where(places, kNaN, *weights);
  }
  if (what.values.defined()) rows = either(rows, sees(may, what.values));
  return where(rows, kNaN, context);
}

}  // namespace heed::attention
