#include "reformer.h"

#include <fmt/format.h>

#include <vector>

#include "../../../autograd/grad_mode.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "heads.h"
#include "linear_call.h"
#include "within_buckets.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "reformer";

ReformerOptions checked(const ReformerOptions& o) {
  checked_heads(kName, o.width, o.heads);
  if (o.buckets > 0 && o.buckets % 2 == 0 && o.rounds > 0) return o;
  throw ValueError(fmt::format("{}: buckets {} must be positive and even, rounds {} positive",
                               kName, o.buckets, o.rounds));
}

// [B, H, T, ..] -> [B H, T, ..]
Tensor joined(const Tensor& x) { return flatten(x, 0, 1); }

Tensor unit(const Tensor& x) { return x * rsqrt(sum(square(x), {-1}, true) + 1e-6); }

}  // namespace

Reformer::Reformer(const ReformerOptions& o)
    : options_(checked(o)),
      qk_proj(child<nn::Linear>("qk_proj", o.width, o.width, true, o.dtype)),
      v_proj(child<nn::Linear>("v_proj", o.width, o.width, true, o.dtype)),
      out_proj(child<nn::Linear>("out_proj", o.width, o.width, true, o.dtype)),
      rotations(
          buffer("rotations", zeros(Shape{o.rounds, o.width / o.heads, o.buckets / 2}, o.dtype))) {
  redraw();
}

void Reformer::redraw(Generator& generator) {
  rotations.copy_from(randn(rotations.shape(), rotations.dtype(), generator));
}

Attended Reformer::operator()(const Tensor& given, const Terms& terms, KeyValueCache* cache) const {
  const Scope scope(*this);
  refuse_cache(kName, cache);
  const LinearCall call(kName, Looks::both_or_back, given, options_.width, rotations.dtype(),
                        terms);
  const Index B = given.size(0), T = given.size(1), H = options_.heads;
  const Tensor q = joined(split_heads(qk_proj(call.x()), H));
  const Tensor v = joined(split_heads(v_proj(call.x()), H));
  const Tensor real =
      call.real().defined()
          ? reshape(expand(unsqueeze(call.real(), 1), Shape{B, H, T}), Shape{B * H, T})
          : Tensor();
  std::vector<Tensor> rounds;
  for (Index r = 0; r < options_.rounds; ++r) {
    const NoGrad off;
    const Tensor p = matmul(q, select(rotations, 0, r));
    rounds.push_back(real_buckets(argmax(concat({p, -p}, -1), -1), real));
  }
  Attended out = attend_within(q, unit(q), v, rounds, call.causal(), call.need_weights());
  out.context = out_proj(join_heads(reshape(out.context, Shape{B, H, T, v.size(2)})));
  if (call.need_weights()) out.weights = reshape(out.weights, Shape{B, H, T, T});
  out.log_sums = Tensor();
  call.spread(out);
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
