#include "attention_free_full.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../../nn/init.h"
#include "../../attend.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "attention_free_sums.h"
#include "heads.h"
#include "linear_call.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "attention_free_full";
// Of a key that is masked: beside any other its share is exactly 0, and it is a number.
constexpr double kMasked = -1e30;

const AttentionFreeFullOptions& checked(const AttentionFreeFullOptions& o) {
  if (o.width <= 0 || o.max_length <= 0 || o.block <= 0 || o.window < 0 || o.rank < 0) {
    throw ValueError(fmt::format(
        "{}: width {}, max_length {} and block {} must be positive, window {} and rank {} not "
        "negative",
        kName, o.width, o.max_length, o.block, o.window, o.rank));
  }
  return o;
}

// Whether a mask is causal, of lengths, both, or none at all.
bool is_plain(const Mask& mask, const Shape& scores) {
  return mask.left() < 0 && mask.right() <= 0 && mask.blocks().empty() &&
         mask.segment_offsets().empty() && mask.places() == nullptr &&
         !mask.rest(scores, kName).defined();
}

// [B, E, T, 1] -> [T, B E], and of sums back.
Tensor columns(const Tensor& x) {
  return reshape(permute(x, {2, 0, 1, 3}), Shape{x.size(2), x.size(0) * x.size(1)});
}
Tensor heads_of(const Tensor& sums, const Shape& like) {
  return permute(reshape(sums, Shape{like[2], like[0], like[1], 1}), {1, 2, 0, 3});
}

}  // namespace

AttentionFreeFull::AttentionFreeFull(const AttentionFreeFullOptions& o)
    : options_(checked(o)),
      q_proj(child<nn::Linear>("q_proj", o.width, o.width, false, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, o.width, false, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, false, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, false, o.dtype)),
      place_biases(parameter(
          "place_biases",
          o.rank > 0 ? Tensor()
                     : zeros(Shape{o.max_length,
                                   o.window > 0 ? 2 * Checked(kName, o.window) + -1 : o.max_length},
                             o.dtype))),
      query_factors(parameter("query_factors",
                              o.rank > 0 ? zeros(Shape{o.max_length, o.rank}, o.dtype) : Tensor())),
      key_factors(parameter("key_factors",
                            o.rank > 0 ? zeros(Shape{o.max_length, o.rank}, o.dtype) : Tensor())) {
  if (o.rank == 0) return;
  nn::normal_(query_factors, 0, 0.1);
  nn::normal_(key_factors, 0, 0.1);
}

Tensor AttentionFreeFull::biases(Index query, Index queries, Index key, Index keys) const {
  const Index window = options_.window;
  Tensor w;
  if (query_factors.defined()) {
    w = matmul(narrow(query_factors, 0, query, queries),
               transpose(narrow(key_factors, 0, key, keys), 0, 1));
  } else {
    w = narrow(place_biases, 0, query, queries);
    if (window == 0) w = narrow(w, 1, key, keys);
  }
  if (window == 0) return w;
  Array places = Array::empty({queries, keys}, DType::i64);
  Array near = Array::empty({queries, keys}, DType::boolean);
  auto* place = places.mutable_data<Index>();
  auto* is_near = near.mutable_data<bool>();
  for (Index t = query; t < query + queries; ++t) {
    for (Index s = key; s < key + keys; ++s) {
      *place++ = std::clamp<Index>(s - t + window - 1, 0, 2 * window - 2);
      *is_near++ = t - s < window && s - t < window;
    }
  }
  return where(Tensor(near), query_factors.defined() ? w : gather(w, 1, Tensor(places)), 0);
}

Attended AttentionFreeFull::by_sums(const Tensor& given_k, const Tensor& given_v, const Tensor& w,
                                    const Mask& mask) const {
  const Shape shape = given_k.shape();  // [B, E, T, 1]
  const Index B = shape[0], E = shape[1], T = shape[2];
  const Shape scores{B, E, T, T};
  NanGuard guard(given_k, given_k, given_v, mask);  // all are 1: a query's row is its key's
  guard.look_through();
  Tensor k = guard.keys(), some;
  if (mask.has_lengths()) {
    const Tensor real = Mask::lengths(mask.key_lengths(), T).tensor(Shape{B, T});
    if (real.defined()) {
      k = where(unsqueeze(unsqueeze(real, 1), -1), k, kMasked);
      some = unsqueeze(unsqueeze(narrow(real, 1, 0, 1), 1), -1);  // [B, 1, 1, 1]
    }
  }
  k = columns(k);
  const Tensor v = columns(guard.values());
  const auto near = [this](Index t, Index queries, Index s, Index keys) {
    return biases(t, queries, s, keys);
  };
  const Attended sums = mask.right() < 0 ? sums_over_all(k, v, w)
                        : options_.window > 0
                            ? local_sums(k, v, near, options_.window, options_.block)
                            : causal_sums(k, v, w, options_.block);
  Tensor context = heads_of(sums.context, shape);
  if (some.defined()) context = where(some, context, 0);
  return {.context = guard.spread(context, scores, nullptr)};
}

Attended AttentionFreeFull::operator()(const Tensor& x, const Terms& terms,
                                       KeyValueCache* given) const {
  const Scope scope(*this);
  check_batch(kName, "x", x);
  check_rows(kName, "x", x, options_.width, out_proj.weight.dtype());
  const Index B = x.size(0), E = x.size(2), T = x.size(1);
  CacheOfCall cache(given);
  const Index before = cache ? cache->length() : 0, all = before + T;
  if (all > options_.max_length) {
    throw ShapeError(fmt::format("{}: {} steps are more than max_length {}: x is {}", kName, all,
                                 options_.max_length, describe(x)));
  }
  cache.refuse_rolling(kName);
  const bool masked = !terms.mask.all();
  const auto projected = [&](const nn::Linear& project) { return guarded(x, masked, project); };
  Tensor k = split_heads(projected(k_proj), E), v = split_heads(projected(v_proj), E);
  if (cache) {
    cache->append(k, v);
    k = cache->keys(), v = cache->values();
  }
  const bool plain = !traced() && !cache && B > 0 && T > 0 && mask_alone(terms) &&
                     !terms.need_weights && is_plain(terms.mask, Shape{B, E, T, T});
  const bool linear = plain && options_.window > 0 && terms.mask.right() == 0;
  const Tensor w = linear ? Tensor() : biases(before, T, 0, all);
  Attended out = named(kName, [&] {
    if (linear || (plain && sums_hold(w))) return by_sums(k, v, w, terms.mask);
    Terms own = terms;
    own.bias = terms.bias.defined() ? terms.bias + w : w;
    return attend(ones(Shape{B, E, T, 1}, x.dtype()), k, v, own);
  });
  const FinitePart own = finite_part(x), seen = finite_part(join_heads(out.context));
  Tensor y = out_proj(sigmoid(q_proj(own.x)) * seen.x);
  if (own.bad.defined()) y = with_bad_rows(y, own.bad);
  if (seen.bad.defined()) y = with_bad_rows(y, seen.bad);
  out.context = forwarded(y);
  cache.keep();
  return out;
}

}  // namespace heed::attention
