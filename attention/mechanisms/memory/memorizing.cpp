#include "memorizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/normalise/normalize.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../attend.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "memorizing";

const MemorizingOptions& checked(const MemorizingOptions& o) {
  if (o.width <= 0 || o.heads <= 0 || o.nearest <= 0 || o.capacity < 0) {
    throw ValueError(fmt::format(
        "{}: width {}, heads {} and nearest {} must be positive, capacity {} not negative", kOp,
        o.width, o.heads, o.nearest, o.capacity));
  }
  if (o.width % o.heads != 0) {
    throw ValueError(fmt::format("{}: heads {} do not divide width {}", kOp, o.heads, o.width));
  }
  return o;
}

Tensor joined(const Tensor& before, const Tensor& now, Index axis) {
  return before.defined() ? concat({before, now}, axis) : now;
}

}  // namespace

Memorizing::Memorizing(const MemorizingOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, o.width, false, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, o.width, false, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, false, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, false, o.dtype)),
      scale(parameter(
          "scale",
          full({o.heads}, std::sqrt(static_cast<double>(o.width) / static_cast<double>(o.heads)),
               o.dtype))),
      gate(parameter("gate", zeros({o.heads}, o.dtype))),
      nearest(child<TopK>("nearest", o.nearest)) {}

void Memorizing::Store::reorder(const Tensor& rows) {
  for (Tensor* each : {&keys, &values, &real}) {
    if (each->defined()) *each = index_select(*each, 0, rows);
  }
}

Attended Memorizing::operator()(const Tensor& given, Store& store, const Terms& terms,
                                const Tensor& real) const {
  const Scope scope(*this);
  const auto [x, counts] = masked_sequence(kOp, "x", given, options_.width, gate.dtype(),
                                           real.defined() ? Mask(real) : Mask());
  const Index B = x.size(0), T = x.size(1), H = options_.heads, D = options_.width / H;
  if (store.length() > 0) check_rows_of_batch(kOp, "the store", store.keys, B);
  const auto heads = [&, &x = x](const nn::Linear& project) {
    return transpose(reshape(guarded(x, true, project), {B, T, H, D}), 1, 2);
  };
  const auto by_head = [&](const Tensor& one) { return reshape(one, {H, 1, 1}); };
  const Tensor q = guarded(heads(q_proj), true, [&](const Tensor& finite) {
    return normalize(finite, 2, -1) * by_head(scale);
  });
  const Tensor k = normalize(heads(k_proj), 2, -1), v = heads(v_proj);
  const Dot score;
  Terms own = terms;
  own.mask = Mask::causal() & terms.mask;
  if (counts.defined()) own.mask = own.mask & Mask::key_padding(counts);
  Attended out = named(kOp, [&] { return attend(score, q, k, v, own); });
  if (store.length() > 0) {
    const Tensor found = attend(score, q, store.keys, store.values,
                                {.normaliser = &nearest, .mask = Mask::key_padding(store.real)})
                             .context;
    const Tensor some = reshape(any(store.real, {1}), {B, 1, 1, 1});
    out.context = guarded(concat({found, out.context}, -1), true, [&](const Tensor& both) {
      const Tensor g = where(some, sigmoid(by_head(gate)), 0);  // none: the segment alone
      return g * narrow(both, -1, 0, D) + (1 - g) * narrow(both, -1, D, D);
    });
  }
  const Tensor all = reshape(transpose(out.context, 1, 2), {B, T, options_.width});
  out.context = forwarded(guarded(all, true, out_proj));

  store.keys = joined(store.keys, k.detach(), 2);
  store.values = joined(store.values, v.detach(), 2);
  store.real = joined(
      store.real, counts.defined() ? counts : Tensor(Array::full({B, T}, 1, DType::boolean)), 1);
  const Index extra = options_.capacity == 0 ? 0 : store.length() - options_.capacity;
  if (extra > 0) {
    for (const auto& [kept, axis] :
         {std::pair{&store.keys, Index{2}}, {&store.values, Index{2}}, {&store.real, Index{1}}}) {
      *kept = clone(narrow(*kept, axis, extra, options_.capacity));
    }
  }
  return out;
}

}  // namespace heed::attention
