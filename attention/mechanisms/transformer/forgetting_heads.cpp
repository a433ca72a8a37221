#include "forgetting_heads.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "forgetting_heads";

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

}  // namespace

ForgettingHeads::ForgettingHeads(const ForgettingHeadsOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, o.heads * options_.head_width, false, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, o.heads * options_.head_width, false, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.heads * options_.head_width, false, o.dtype)),
      forget_gate(child<nn::Linear>("forget_gate", o.width, o.heads, true, o.dtype)),
      out_proj(
          child<nn::Linear>("out_proj", o.heads * options_.head_width, o.width, false, o.dtype)) {}

Tensor ForgettingHeads::log_gates(const Tensor& x) const {
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, out_proj.weight.dtype());
  const auto gates = [&](const Tensor& finite) { return log_sigmoid(forget_gate(finite)); };
  return transpose(guarded(x, true, gates), 1, 2);
}

Attended ForgettingHeads::operator()(const Tensor& x, const Terms& terms,
                                     KeyValueCache* cache) const {
  const Scope scope(*this);
  if (terms.sinks.defined()) {
    throw ValueError(fmt::format("{}: a sink would not be forgotten: give none", kOp));
  }
  Tensor c = cumsum(log_gates(x), -1);  // [B, H, T]
  const bool masked = !terms.mask.all();
  const Index B = x.size(0), T = x.size(1), H = options_.heads, D = options_.head_width;
  const auto heads = [&](const nn::Linear& project) {
    return transpose(reshape(guarded(x, masked, project), {B, T, H, D}), 1, 2);
  };
  const Tensor q = heads(q_proj);
  Tensor k = heads(k_proj), v = heads(v_proj);
  if (cache != nullptr) {
    if (cache->options().window > 0) {
      throw ValueError(fmt::format("{}: a rolling cache forgets by itself: give a plain one", kOp));
    }
    const Index before = cache->length();
    if (before > 0) c = c + select(narrow(cache->keys(), 2, before - 1, 1), 3, D);
    cache->append(concat({k, unsqueeze(c, -1)}, -1), v);
    k = narrow(cache->keys(), -1, 0, D);
    c = select(cache->keys(), -1, D);
    v = cache->values();
  }
  Terms own = terms;
  own.mask = Mask::causal() & terms.mask;
  const Tensor forgotten = -unsqueeze(c, 2);  // [B, H, 1, K]
  own.bias = terms.bias.defined() ? terms.bias + forgotten : forgotten;
  if (training()) own.dropout = options_.dropout;
  Attended out = named(kOp, [&] { return attend(q, k, v, own); });
  const Tensor joined = reshape(transpose(out.context, 1, 2), {B, T, H * D});
  out.context = forwarded(guarded(joined, true, out_proj));
  return out;
}

}  // namespace heed::attention
