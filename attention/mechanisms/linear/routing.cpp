#include "routing.h"

#include <fmt/format.h>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/layer_norm.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "heads.h"
#include "linear_call.h"
#include "within_buckets.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "routing";

RoutingOptions checked(const RoutingOptions& o) {
  checked_heads(kName, o.width, o.heads);
  if (o.centroids > 0) return o;
  throw ValueError(fmt::format("{}: centroids {} must be positive", kName, o.centroids));
}

}  // namespace

Routing::Routing(const RoutingOptions& o)
    : options_(checked(o)),
      qk_proj(child<nn::Linear>("qk_proj", o.width, o.width, true, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, true, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, true, o.dtype)),
      centroids(
          buffer("centroids", randn(Shape{o.heads, o.centroids, o.width / o.heads}, o.dtype))) {}

Tensor Routing::queries(const Tensor& x) const {
  const Tensor q = split_heads(qk_proj(x), options_.heads);
  return layer_norm(q, Shape{q.size(3)});
}

Tensor Routing::nearest(const Tensor& q) const {
  const NoGrad off;
  return argmax(matmul(q, transpose(centroids, 1, 2)), -1);
}

void Routing::refit(const Tensor& x, double decay) {
  if (!(decay >= 0 && decay <= 1)) {
    throw ValueError(fmt::format("{}: decay {} is not in [0, 1]", kName, decay));
  }
  const NoGrad off;
  const LinearCall call(kName, Looks::both, x, options_.width, centroids.dtype(), {});
  const Tensor q = queries(call.x());
  const Tensor members = one_hot(nearest(q), options_.centroids, q.dtype());  // [B, H, T, C]
  const Tensor sums = sum(matmul(transpose(members, 2, 3), q), {0});          // [H, C, D]
  const Tensor counts = unsqueeze(sum(members, {0, 2}), -1);                  // [H, C, 1]
  const Tensor means = sums / where(counts == 0, 1, counts);
  centroids.copy_from(where(counts == 0, centroids, decay * centroids + (1 - decay) * means));
}

Attended Routing::operator()(const Tensor& given, const Terms& terms, KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const LinearCall call(kName, Looks::both_or_back, given, options_.width, centroids.dtype(),
                        terms);
  const Index B = given.size(0), T = given.size(1), H = options_.heads;
  const Tensor q = queries(call.x()), v = split_heads(v_proj(call.x()), H);
  const Tensor real = call.real().defined() ? unsqueeze(call.real(), 1) : Tensor();
  const Tensor buckets = flatten(real_buckets(nearest(q), real), 0, 1);  // [B H, T]
  const Tensor rows = flatten(q, 0, 1);
  Attended out =
      attend_within(rows, rows, flatten(v, 0, 1), {buckets}, call.causal(), call.need_weights());
  out.context = out_proj(join_heads(reshape(out.context, v.shape())));
  if (call.need_weights()) out.weights = reshape(out.weights, Shape{B, H, T, T});
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
