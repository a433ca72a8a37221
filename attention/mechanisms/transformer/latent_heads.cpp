#include "latent_heads.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "latent_heads";

LatentHeadsOptions checked(LatentHeadsOptions o) {
  if (o.value_width == 0) o.value_width = o.head_width;
  if (o.width <= 0 || o.heads <= 0 || o.latent <= 0 || o.query_latent < 0 || o.head_width <= 0 ||
      o.value_width <= 0) {
    throw ValueError(
        fmt::format("{}: width {}, heads {}, latent {}, head_width {} and value_width "
                    "{} must be positive, query_latent {} not negative",
                    kOp, o.width, o.heads, o.latent, o.head_width, o.value_width, o.query_latent));
  }
  if (o.rotary_width < 0 || o.rotary_width % 2 != 0) {
    throw ValueError(fmt::format("{}: rotary_width {} must be even", kOp, o.rotary_width));
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", kOp, o.dropout));
  }
  return o;
}

// As Linear's weights begin.
Tensor begin(const Shape& shape, DType dtype) {
  const double bound = 1 / std::sqrt(static_cast<double>(shape[2]));
  return default_generator().uniform(shape, -bound, bound, dtype);
}

}  // namespace

LatentHeads::LatentHeads(const LatentHeadsOptions& o)
    : options_(checked(o)),
      query_down(o.query_latent == 0
                     ? nullptr
                     : &child<nn::Linear>("query_down", o.width, o.query_latent, false, o.dtype)),
      query_norm(o.query_latent == 0 ? nullptr
                                     : &child<nn::RMSNorm>("query_norm", Shape{o.query_latent},
                                                           1e-6, true, o.dtype)),
      query_up(child<nn::Linear>(
          "query_up", o.query_latent == 0 ? o.width : o.query_latent,
          Checked(kOp, o.heads) * (Checked(kOp, o.head_width) + o.rotary_width), false, o.dtype)),
      down(child<nn::Linear>("down", o.width, Checked(kOp, o.latent) + o.rotary_width, false,
                             o.dtype)),
      norm(child<nn::RMSNorm>("norm", Shape{o.latent}, 1e-6, true, o.dtype)),
      key_up(parameter("key_up", begin({o.heads, o.head_width, o.latent}, o.dtype))),
      value_up(parameter("value_up", begin({o.heads, options_.value_width, o.latent}, o.dtype))),
      out_proj(child<nn::Linear>("out_proj", Checked(kOp, o.heads) * options_.value_width, o.width,
                                 false, o.dtype)) {}

// A token that is not finite meets no weight: its parts are NaN all the same.
LatentHeads::Parts LatentHeads::parts_of(const Tensor& x, bool masked, Index first) const {
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, norm.weight.dtype());
  const Index B = x.size(0), T = x.size(1), D = options_.head_width, R = options_.rotary_width;
  const Tensor q = guarded(x, masked, [&](const Tensor& finite) {
    return query_up(query_down == nullptr ? finite : (*query_norm)((*query_down)(finite)));
  });
  const Tensor kv = guarded(x, masked, [&](const Tensor& finite) {
    const std::vector<Tensor> both = split(down(finite), {options_.latent, R}, -1);
    return concat({norm(both[0]), both[1]}, -1);
  });
  const auto heads = split(transpose(reshape(q, {B, T, options_.heads, D + R}), 1, 2), {D, R}, -1);
  const auto shared = split(unsqueeze(kv, 1), {options_.latent, R}, -1);
  if (R == 0) return {heads[0], heads[1], shared[0], shared[1]};
  return {heads[0], rotary(heads[1], options_.rotary, first), shared[0],
          rotary(shared[1], options_.rotary, first)};
}

// Heads' contexts [B, H, T, Dv] side by side, and W_O.
Attended LatentHeads::finish(Attended heads, Index T) const {
  const Index B = heads.context.size(0);
  const Tensor joined = reshape(transpose(heads.context, 1, 2), {B, T, out_proj.weight.size(1)});
  heads.context = guarded(joined, true, out_proj);
  return heads;
}

Attended LatentHeads::operator()(const Tensor& x, const Terms& terms, KeyValueCache* cache) const {
  const Scope scope(*this);
  if (cache != nullptr) return absorbed(x, terms, cache);
  const bool masked = !terms.mask.all();
  const Parts p = parts_of(x, masked, 0);
  const Index B = x.size(0), T = x.size(1), H = options_.heads;
  const auto up = [&](const Tensor& matrix) {
    return guarded(p.latents, masked, [&](const Tensor& c) {
      return matmul(c, transpose(matrix, 1, 2));  // [B, H, T, D or Dv]
    });
  };
  const Tensor position = expand(p.k_position, {B, H, T, options_.rotary_width});
  const Tensor keys = concat({up(key_up), position}, -1);
  const Tensor queries = concat({p.q_content, p.q_position}, -1);
  Terms own = terms;
  if (own.dropout == 0 && training()) own.dropout = options_.dropout;
  Attended out = finish(named(kOp, [&] { return attend(queries, keys, up(value_up), own); }), T);
  out.context = forwarded(out.context);
  return out;
}

Attended LatentHeads::absorbed(const Tensor& x, const Terms& terms, KeyValueCache* given) const {
  const Scope scope(*this);
  CacheOfCall cache(given);
  if (options_.rotary_width > 0) cache.refuse_rolling(kOp);
  const bool masked = !terms.mask.all();
  Parts p = parts_of(x, masked, cache ? cache->length() : 0);
  if (cache.rolls()) {
    const Index T = x.size(1);
    check_terms(kOp, {x.size(0), options_.heads, T, cache->length_after(T)}, x.dtype(), terms);
  }
  if (cache) {
    cache->append(p.k_position, p.latents);
    p.k_position = cache->keys();
    p.latents = cache->values();
  }
  const Tensor content = guarded(p.q_content, masked, [&](const Tensor& q) {
    return matmul(q, key_up);  // (W_UK^T q^C) [B, H, T, latent]
  });
  const ScaledDot score(
      1 / std::sqrt(static_cast<double>(options_.head_width + options_.rotary_width)));
  Terms own = terms;
  if (own.dropout == 0 && training()) own.dropout = options_.dropout;
  Attended seen = named(kOp, [&] {
    return attend(score, concat({content, p.q_position}, -1), concat({p.latents, p.k_position}, -1),
                  p.latents, own);
  });
  seen.context = guarded(seen.context, true,
                         [&](const Tensor& c) { return matmul(c, transpose(value_up, 1, 2)); });
  Attended out = finish(std::move(seen), x.size(1));
  out.context = forwarded(out.context);
  cache.keep();
  return out;
}

}  // namespace heed::attention
