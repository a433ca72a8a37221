#include "forgetting_heads.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "forgetting_heads";
// What lies behind such a gate has no weight, and sums of gates keep their digits.
constexpr double kShut = -1000;
// Beside sums of gates below this a score in f32 keeps fewer than three digits behind the point.
constexpr double kFar = -16384;

ForgettingHeadsOptions checked(ForgettingHeadsOptions o) {
  if (o.width <= 0 || o.heads <= 0 || o.head_width < 0) {
    throw ValueError(
        fmt::format("{}: width {} and heads {} must be positive, head_width {} not negative", kOp,
                    o.width, o.heads, o.head_width));
  }
  if (o.head_width == 0) {
    if (o.width % o.heads != 0) {
      throw ValueError(fmt::format("{}: heads {} do not divide width {}", kOp, o.heads, o.width));
    }
    o.head_width = o.width / o.heads;
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", kOp, o.dropout));
  }
  return o;
}

// Whose gates count: not those of keys that the mask hides from all queries, nor of rows that are
// not finite, of which those who see them hear by the key. bool, broadcasting to [B, H, T];
// undefined: all.
Tensor counted(const Tensor& x, const Mask& mask, Index H, Index before) {
  const Index B = x.size(0), T = x.size(1), K = before + T;
  Tensor out = by_keys(mask, {B, H, T, K}, kOp);
  if (out.defined()) {
    if (out.rank() >= 2) out = any(out, {-2}, true);
    out = narrow(squeeze(expand(out, {B, H, 1, K}), 2), 2, before, T);
  }
  const Tensor bad = finite_part(x).bad;
  if (!bad.defined()) return out;
  const Tensor finite = unsqueeze(logical_not(any(bad, {-1})), 1);  // [B, 1, T]
  return out.defined() ? logical_and(out, finite) : finite;
}

// Whether nothing in the terms is of a dtype that a call cannot change.
bool widens(const Terms& terms) {
  return !terms.map.defined() && terms.position_bias == nullptr && terms.relative == nullptr &&
         !terms.need_statistics;
}

}  // namespace

ForgettingHeads::ForgettingHeads(const ForgettingHeadsOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      forget_gate(child<nn::Linear>("forget_gate", o.width, o.heads, true, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", Checked(kOp, o.heads) * options_.head_width, o.width,
                                 false, o.dtype)) {}

Tensor ForgettingHeads::log_gates(const Tensor& x) const {
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, out_proj.weight.dtype());
  const auto gates = [&](const Tensor& finite) { return log_sigmoid(forget_gate(finite)); };
  return transpose(guarded(x, true, gates), 1, 2);
}

Attended ForgettingHeads::operator()(const Tensor& x, const Terms& terms,
                                     KeyValueCache* given) const {
  const Scope scope(*this);
  if (terms.sinks.defined()) {
    throw ValueError(fmt::format("{}: a sink would not be forgotten: give none", kOp));
  }
  CacheOfCall cache(given);
  Tensor gates = clamp(log_gates(x), kShut);  // [B, H, T]
  const bool masked = !terms.mask.all();
  const Index B = x.size(0), T = x.size(1), H = options_.heads, D = options_.head_width;
  const Index before = cache ? cache->length() : 0;
  const Tensor counts = counted(x, terms.mask, H, before);
  if (counts.defined()) gates = where(counts, gates, 0);
  // c_j of the keys, c_i of the queries: in f64, as only their differences are small.
  const DType dtype = gates.dtype(), exact = traced() ? dtype : DType::f64;
  Tensor c = cumsum(heed::to(gates, exact), -1), reached = c;
  const auto heads = [&](const nn::Linear& project) {
    return transpose(reshape(guarded(x, masked, project), {B, T, H, D}), 1, 2);
  };
  const Tensor q = heads(q_proj);
  Tensor k = heads(k_proj), v = heads(v_proj);
  if (cache) {
    if (cache.rolls()) {
      throw ValueError(fmt::format("{}: a rolling cache forgets by itself: give a plain one", kOp));
    }
    const auto sums = [&](Index first, Index count) {
      const Tensor both = heed::to(narrow(narrow(cache->keys(), 2, first, count), 3, D, 2), exact);
      return select(both, 3, 0) + select(both, 3, 1);
    };
    if (before > 0) c = c + sums(before - 1, 1);
    reached = c;
    const Tensor high = heed::to(c, dtype), low = heed::to(c - heed::to(high, exact), dtype);
    cache->append(concat({k, unsqueeze(high, -1), unsqueeze(low, -1)}, -1), v);
    k = narrow(cache->keys(), -1, 0, D);
    c = sums(0, cache->length());
    v = cache->values();
  }
  Terms own = terms;
  own.mask = Mask::causal() & terms.mask;
  Tensor forgotten = -unsqueeze(c, 2);  // [B, H, 1, K]
  const bool softmax = terms.normaliser == nullptr || terms.normaliser->is_softmax();
  if (!softmax) forgotten = unsqueeze(reached, -1) + forgotten;  // [B, H, T, K]
  const bool far =
      softmax && exact != dtype && widens(terms) && c.numel() > 0 && amin(c.detach()).item() < kFar;
  const auto wide = [&](const Tensor& y) { return far && y.defined() ? heed::to(y, exact) : y; };
  forgotten = heed::to(forgotten, far ? exact : dtype);
  own.bias = terms.bias.defined() ? wide(terms.bias) + forgotten : forgotten;
  own.offset_bias = wide(terms.offset_bias);
  if (own.dropout == 0 && training()) own.dropout = options_.dropout;
  Attended out = named(kOp, [&] { return attend(wide(q), wide(k), wide(v), own); });
  out.context = heed::to(out.context, dtype);
  if (out.weights.defined()) out.weights = heed::to(out.weights, dtype);
  if (out.log_sums.defined() && softmax) {
    const Tensor some = where(isfinite(out.log_sums), reached, 0);
    out.log_sums = heed::to(heed::to(out.log_sums, exact) + some, dtype);
  }
  const Tensor joined = reshape(transpose(out.context, 1, 2), {B, T, H * D});
  out.context = forwarded(guarded(joined, true, out_proj));
  cache.keep();
  return out;
}

}  // namespace heed::attention
