#include "differential_heads.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/linalg.h"
#include "../../../autograd/ops/normalise/rms_norm.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "differential_heads";

DifferentialHeadsOptions checked(DifferentialHeadsOptions o) {
  const bool v1 = o.kind == DifferentialKind::v1;
  if (o.kv_heads == 0) o.kv_heads = o.heads;
  if (o.width <= 0 || o.heads <= 0 || o.kv_heads < 0 || o.head_width < 0 || o.layer < 0) {
    throw ValueError(
        fmt::format("{}: width {} and heads {} must be positive, head_width {}, "
                    "kv_heads {} and layer {} not negative",
                    kOp, o.width, o.heads, o.head_width, o.kv_heads, o.layer));
  }
  if (o.heads % o.kv_heads != 0 || (v1 && o.kv_heads != o.heads)) {
    throw ValueError(fmt::format("{}: {} heads over {} of keys{}", kOp, o.heads, o.kv_heads,
                                 v1 ? ": v1 has as many of both" : " do not divide"));
  }
  const Index parts = (v1 ? 2 : 1) * Checked(kOp, o.heads);
  if (o.head_width == 0) {
    if (o.width % parts != 0) {
      throw ValueError(fmt::format("{}: {} parts do not divide width {}", kOp, parts, o.width));
    }
    o.head_width = o.width / parts;
  }
  if (o.rotary && o.head_width % 2 != 0) {
    throw ValueError(fmt::format("{}: rotary needs an even head width, not {}", kOp, o.head_width));
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", kOp, o.dropout));
  }
  return o;
}

Tensor lambda_vector(bool v1, Index width, DType dtype) {
  return v1 ? Tensor(default_generator().normal({width}, 0, 0.1, dtype)) : Tensor();
}

}  // namespace

DifferentialHeads::DifferentialHeads(const DifferentialHeadsOptions& o)
    : options_(checked(o)),
      v1_(o.kind == DifferentialKind::v1),
      begin_(0.8 - 0.6 * std::exp(-0.3 * static_cast<double>(o.layer))),
      q_proj(child<nn::Linear>("q_proj", o.width, 2 * Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      k_proj(child<nn::Linear>(
          "k_proj", o.width, (v1_ ? 2 : 1) * Checked(kOp, options_.kv_heads) * options_.head_width,
          false, o.dtype)),
      v_proj(child<nn::Linear>(
          "v_proj", o.width, (v1_ ? 2 : 1) * Checked(kOp, options_.kv_heads) * options_.head_width,
          false, o.dtype)),
      lambda_q1(parameter("lambda_q1", lambda_vector(v1_, options_.head_width, o.dtype))),
      lambda_k1(parameter("lambda_k1", lambda_vector(v1_, options_.head_width, o.dtype))),
      lambda_q2(parameter("lambda_q2", lambda_vector(v1_, options_.head_width, o.dtype))),
      lambda_k2(parameter("lambda_k2", lambda_vector(v1_, options_.head_width, o.dtype))),
      norm(parameter("norm",
                     v1_ ? ones({2 * Checked(kOp, options_.head_width)}, o.dtype) : Tensor())),
      lambda_proj(v1_ ? nullptr
                      : &child<nn::Linear>("lambda_proj", o.width, o.heads, false, o.dtype)),
      out_proj(child<nn::Linear>("out_proj",
                                 Checked(kOp, o.heads) * (v1_ ? 2 : 1) * options_.head_width,
                                 o.width, false, o.dtype)) {}

Tensor DifferentialHeads::lambda() const {
  if (!v1_) throw ValueError(fmt::format("{}: v2 has a share for each token and head", kOp));
  return exp(dot(lambda_q1, lambda_k1)) - exp(dot(lambda_q2, lambda_k2)) + begin_;
}

// Keys are cached as they stand in pairs: [B, H, T, 2 D] in v1, [B, kv_heads, T, D] in v2.
Attended DifferentialHeads::operator()(const Tensor& x, const Terms& terms,
                                       KeyValueCache* given) const {
  const Scope scope(*this);
  if (terms.need_statistics || terms.need_log_sums) {
    throw ValueError(fmt::format("{}: a difference has no {}", kOp,
                                 terms.need_statistics ? "statistics of one softmax" : "log_sums"));
  }
  CacheOfCall cache(given);
  if (options_.rotary) cache.refuse_rolling(kOp);
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, out_proj.weight.dtype());
  const bool masked = !terms.mask.all();
  const Index B = x.size(0), T = x.size(1), H = options_.heads, D = options_.head_width;
  const Index before = cache ? cache->length() : 0;
  // [B, heads, maps, T, D]
  const auto heads = [&](const nn::Linear& project, Index count, Index maps) {
    return permute(reshape(guarded(x, masked, project), {B, T, count, maps, D}), {0, 2, 3, 1, 4});
  };
  const auto turned = [&](const Tensor& y) {
    return options_.rotary ? rotary(y, options_.rotary_options, before) : y;
  };
  const Index maps = v1_ ? 2 : 1;
  const Tensor q = turned(heads(q_proj, H, 2));
  Tensor k = turned(heads(k_proj, options_.kv_heads, maps));
  Tensor v = heads(v_proj, options_.kv_heads, maps);
  const auto wide = [&](const Tensor& y) {  // [B, heads, T, maps D]
    return reshape(transpose(y, 2, 3), {B, y.size(1), y.size(3), maps * D});
  };
  Tensor keys = wide(k), values = wide(v);
  if (cache.rolls()) check_terms(kOp, {B, H, T, cache->length_after(T)}, x.dtype(), terms);
  if (cache) {
    cache->append(keys, values);
    keys = cache->keys();
    values = cache->values();
  }
  // Pairs that share keys and values stand beside each other: [B, kv_heads, G, T, D].
  const Index G = H / options_.kv_heads;
  Terms own = terms;
  if (own.dropout == 0 && training()) own.dropout = options_.dropout;
  const auto look = [&](Index map) {
    const Tensor of_map = select(q, 2, map);  // [B, H, T, D]
    const Tensor own_keys = v1_ ? narrow(keys, -1, map * D, D) : keys;
    const auto each = [&](const Tensor& y) {  // for each query of a group
      if (G == 1) return y;
      const Shape shape{B, options_.kv_heads, G, y.size(2), y.size(3)};
      return reshape(expand(unsqueeze(y, 2), shape), {B, H, y.size(2), y.size(3)});
    };
    return named(kOp, [&] { return attend(of_map, each(own_keys), each(values), own); });
  };
  const Attended first = look(0), second = look(1);
  Tensor share;  // [], or [B, H, T, 1]
  if (v1_) {
    share = lambda();
  } else {
    // A row that is not finite has NaN by its maps, where it sees something.
    const Tensor of_token = (*lambda_proj)(masked ? finite_part(x).x : x);
    share = sigmoid(unsqueeze(transpose(of_token, 1, 2), -1));
  }
  // What is not finite does not meet the share, which is everyone's, and spoils its own place only.
  const auto less = [&](const Tensor& a, const Tensor& b) {
    const FinitePart one = finite_part(a), other = finite_part(b);
    Tensor out = one.x - share * other.x;
    if (one.bad.defined()) out = with_bad(out, one.bad);
    return other.bad.defined() ? with_bad(out, other.bad) : out;
  };
  Attended out;
  out.context = less(first.context, second.context);
  if (v1_) {
    out.context = guarded(out.context, true, [&](const Tensor& finite) {
      return rms_norm(finite, Shape{2 * D}, norm, 1e-5) * (1 - begin_);
    });
  }
  const Tensor joined = reshape(transpose(out.context, 1, 2), {B, T, out_proj.weight.size(1)});
  out.context = forwarded(guarded(joined, true, out_proj));
  if (terms.need_weights) out.weights = less(first.weights, second.weights);
  cache.keep();
  return out;
}

}  // namespace heed::attention
