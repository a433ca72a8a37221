#include "value_residual_heads.h"

#include <fmt/format.h>

#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../attend.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "../linear/heads.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "value_residual_heads";

ValueResidualOptions checked(ValueResidualOptions o, Index layer) {
  if (o.width <= 0 || o.heads <= 0 || o.layers <= 0 || o.head_width < 0) {
    throw ValueError(fmt::format(
        "{}: width {}, heads {} and layers {} must be positive, head_width {} not negative", kOp,
        o.width, o.heads, o.layers, o.head_width));
  }
  if (layer < 0 || layer >= o.layers) {
    throw ValueError(fmt::format("{}: layer {} is not in [0, {})", kOp, layer, o.layers));
  }
  if (o.head_width == 0) o.head_width = o.width / checked_heads(kOp, o.width, o.heads);
  if (o.rotary && o.head_width % 2 != 0) {
    throw ValueError(fmt::format("{}: rotary needs an even head width, not {}", kOp, o.head_width));
  }
  if (!(o.dropout >= 0 && o.dropout <= 1)) {
    throw ValueError(fmt::format("{}: dropout {} is not in [0, 1]", kOp, o.dropout));
  }
  return o;
}

// l1 v + l2 first, in which rows that are not finite meet no weight and stay so.
Tensor mixed(const Tensor& mix, const Tensor& v, const Tensor& first) {
  const FinitePart own = finite_part(v), other = finite_part(first);
  const Tensor y = select(mix, 0, 0) * own.x + select(mix, 0, 1) * other.x;
  const Tensor with_own = own.bad.defined() ? with_bad(y, own.bad) : y;
  return other.bad.defined() ? with_bad(with_own, other.bad) : with_own;
}

}  // namespace

ValueResidualHeads::ValueResidualHeads(const ValueResidualOptions& o, Index layer)
    : options_(checked(o, layer)),
      layer_(layer),
      q_proj(child<nn::Linear>("q_proj", o.width, Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      k_proj(child<nn::Linear>("k_proj", o.width, Checked(kOp, o.heads) * options_.head_width,
                               false, o.dtype)),
      v_proj(layer > 0 && o.single
                 ? nullptr
                 : &child<nn::Linear>("v_proj", o.width,
                                      Checked(kOp, o.heads) * options_.head_width, false, o.dtype)),
      mix(parameter("mix", layer > 0 && !o.single ? full(Shape{2}, 0.5, o.dtype) : Tensor())),
      out_proj(child<nn::Linear>("out_proj", Checked(kOp, o.heads) * options_.head_width, o.width,
                                 false, o.dtype)) {}

Attended ValueResidualHeads::operator()(const Tensor& x, const Terms& terms,
                                        KeyValueCache* given) const {
  const Scope scope(*this);
  CacheOfCall cache(given);
  check_batch(kOp, "x", x);
  check_rows(kOp, "x", x, options_.width, out_proj.weight.dtype());
  const bool masked = !terms.mask.all();
  const auto heads = [&](const nn::Linear& project) {
    return split_heads(guarded(x, masked, project), options_.heads);
  };
  Tensor q = heads(q_proj), k = heads(k_proj);
  Tensor v = v_proj == nullptr ? Tensor() : heads(*v_proj);
  const Tensor first = layer_ == 0 ? v : terms.from_below;
  if (layer_ > 0) {
    if (!first.defined() || first.shape() != k.shape() || first.dtype() != k.dtype()) {
      throw ValueError(fmt::format("{}: layer {} of {} tokens, of which the first layer left {}",
                                   kOp, layer_, x.size(1),
                                   first.defined() ? describe(first) : "nothing"));
    }
    v = v_proj == nullptr ? first : mixed(mix, v, first);
  }
  if (options_.rotary) {
    const Index before = cache ? cache->length() : 0;
    q = rotary(q, options_.rotary_options, before);
    k = rotary(k, options_.rotary_options, before);
  }
  if (cache) {
    cache.refuse_rolling(kOp);
    cache->append(k, v);
    k = cache->keys(), v = cache->values();
  }
  Terms own = terms;
  if (own.dropout == 0 && training()) own.dropout = options_.dropout;
  Attended out = named(kOp, [&] { return attend(q, k, v, own); });
  out.context = forwarded(guarded(join_heads(out.context), true, out_proj));
  out.for_above = first;
  cache.keep();
  return out;
}

std::function<std::shared_ptr<SelfAttention>(Index)> value_residual(
    const ValueResidualOptions& options) {
  return [options](Index layer) { return std::make_shared<ValueResidualHeads>(options, layer); };
}

}  // namespace heed::attention
