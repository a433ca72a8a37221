#include "multi_head.h"

#include <fmt/format.h>

#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/checked.h"
#include "../../core/error.h"
#include "../../nn/init.h"
#include "../nan_guard.h"
#include "../rotary.h"
#include "named.h"

namespace heed::attention {
namespace {

MultiHeadOptions checked(MultiHeadOptions options) {
  const auto positive = [](const char* what, Index size) {
    if (size <= 0) throw ValueError(fmt::format("multi_head: {} {} must be positive", what, size));
  };
  if (options.kv_heads == 0) options.kv_heads = options.heads;
  if (options.key_width == 0) options.key_width = options.width;
  if (options.value_width == 0) options.value_width = options.width;
  positive("width", options.width);
  positive("heads", options.heads);
  positive("kv_heads", options.kv_heads);
  positive("key_width", options.key_width);
  positive("value_width", options.value_width);
  const auto divides = [](const char* part, Index a, const char* whole, Index b) {
    if (b % a == 0) return;
    throw ValueError(fmt::format("multi_head: {} {} does not divide {} {}", part, a, whole, b));
  };
  divides("heads", options.heads, "width", options.width);
  divides("kv_heads", options.kv_heads, "heads", options.heads);
  if (options.rotary && options.width / options.heads % 2 != 0) {
    throw ValueError(fmt::format("multi_head: rotary needs an even head width, not {}",
                                 options.width / options.heads));
  }
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    throw ValueError(fmt::format("multi_head: dropout {} is not in [0, 1]", options.dropout));
  }
  return options;
}

// Of queries, keys and values side by side.
Checked joined_width(const MultiHeadOptions& options) {
  const Index D = options.width / options.heads;
  return Checked("multi_head", options.width) + 2 * Checked("multi_head", options.kv_heads) * D;
}

void check_input(const char* what, const Tensor& x, Index width, DType dtype) {
  if (!x.defined()) throw GradError(fmt::format("multi_head: {} is undefined", what));
  if (x.rank() != 3 || x.size(2) != width) {
    throw ShapeError(
        fmt::format("multi_head: {} must be [B, T, {}], not {}", what, width, describe(x)));
  }
  if (x.dtype() != dtype) {
    throw DTypeError(
        fmt::format("multi_head: {} is {}, the weights are {}", what, describe(x), name(dtype)));
  }
}

// Something that broadcasts to [B, H, Q, K], for scores [B, H / groups, groups, Q, K].
Tensor grouped(const Tensor& x, Index groups) {
  if (!x.defined() || x.rank() < 3) return x;
  const Index axis = x.rank() - 3;
  if (x.size(axis) == 1) return unsqueeze(x, axis);
  Shape shape = x.shape().with(axis + 1, groups);
  shape[axis] /= groups;
  return reshape(x, shape);
}

}  // namespace

MultiHead::MultiHead(const MultiHeadOptions& options)
    : options_(checked(options)),
      D_(options_.width / options_.heads),
      groups_(options_.heads / options_.kv_heads),
      packed_(options_.key_width == options_.width && options_.value_width == options_.width),
      in_proj_weight(
          parameter("in_proj_weight",
                    packed_ ? zeros(Shape{joined_width(options_), options_.width}, options_.dtype)
                            : Tensor())),
      q_proj_weight(parameter(
          "q_proj_weight",
          packed_ ? Tensor() : zeros(Shape{options_.width, options_.width}, options_.dtype))),
      k_proj_weight(parameter(
          "k_proj_weight",
          packed_ ? Tensor()
                  : zeros(Shape{options_.kv_heads * D_, options_.key_width}, options_.dtype))),
      v_proj_weight(parameter(
          "v_proj_weight",
          packed_ ? Tensor()
                  : zeros(Shape{options_.kv_heads * D_, options_.value_width}, options_.dtype))),
      in_proj_bias(parameter(
          "in_proj_bias",
          options_.bias ? zeros(Shape{joined_width(options_)}, options_.dtype) : Tensor())),
      out_proj(child<nn::Linear>("out_proj", options_.width, options_.width, options_.bias,
                                 options_.dtype)) {
  for (Tensor* weight : {&in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight}) {
    if (weight->defined()) nn::xavier_uniform_(*weight);
  }
  if (options_.bias) nn::zeros_(out_proj.bias);
}

// [B, T, heads D] -> [B, heads, T, D], a view.
Tensor MultiHead::split_heads(const Tensor& x, Index heads) const {
  return transpose(reshape(x, Shape{x.size(0), x.size(1), heads, D_}), 1, 2);
}

// `x` through rows first .. first + count of the joined projection, or through a weight of its own.
Tensor MultiHead::projected(const Tensor& x, Index first, Index count, bool masked,
                            const Tensor& weight) const {
  const auto rows = [&](const Tensor& joined) {
    const bool whole = !joined.defined() || joined.size(0) == count;
    return whole ? joined : narrow(joined, 0, first, count);
  };
  return guarded(x, masked, [&](const Tensor& finite) {
    return linear(finite, weight.defined() ? weight : rows(in_proj_weight), rows(in_proj_bias));
  });
}

MultiHead::Heads MultiHead::project_heads(const Tensor& keys, const Tensor& values,
                                          bool masked) const {
  check_input("keys", keys, options_.key_width, out_proj.weight.dtype());
  check_input("values", values, options_.value_width, out_proj.weight.dtype());
  const Index E = options_.width;
  const Index width = options_.kv_heads * D_;
  Tensor k, v;
  if (packed_ && keys.is_same(values)) {
    const std::vector<Tensor> both =
        split(projected(keys, E, 2 * width, masked), {width, width}, -1);
    k = both[0];
    v = both[1];
  } else {
    k = projected(keys, E, width, masked, k_proj_weight);
    v = projected(values, E + width, width, masked, v_proj_weight);
  }
  return {split_heads(k, options_.kv_heads), split_heads(v, options_.kv_heads)};
}

Memory MultiHead::project(const Tensor& keys, const Tensor& values, const Mask& mask) const {
  const Heads heads = project_heads(keys, values, !mask.all());
  return Memory(heads.keys, heads.values, mask);
}

Attended MultiHead::operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                               const Terms& terms, KeyValueCache* cache) const {
  check_input("query", query, options_.width, out_proj.weight.dtype());
  const Index E = options_.width;
  const Index width = options_.kv_heads * D_;
  const bool masked = !terms.mask.all();
  Tensor q;
  Heads heads;
  if (packed_ && query.is_same(keys) && query.is_same(values)) {
    const std::vector<Tensor> all =
        split(projected(query, 0, E + 2 * width, masked), {E, width, width}, -1);
    q = split_heads(all[0], options_.heads);
    heads = {split_heads(all[1], options_.kv_heads), split_heads(all[2], options_.kv_heads)};
  } else {
    q = project_query(query, masked);
    heads = project_heads(keys, values, masked);
  }
  const Index before = cache == nullptr ? 0 : cache->length();
  if (options_.rotary) {
    q = rotary(q, before, options_.rotary_base);
    heads.keys = rotary(heads.keys, before, options_.rotary_base);
  }
  if (cache != nullptr) {
    cache->append(heads.keys, heads.values);
    heads = {cache->keys(), cache->values()};
  }
  return join(q, Memory(heads.keys, heads.values), terms);
}

Attended MultiHead::attend_to(const Tensor& query, const Memory& memory, const Terms& terms) const {
  if (options_.rotary) {
    throw ValueError("multi_head: attend_to takes a fixed memory: no rotary positions");
  }
  check_input("query", query, options_.width, out_proj.weight.dtype());
  return join(project_query(query, !memory.mask().all() || !terms.mask.all()), memory, terms);
}

// [B, Q, E] -> [B, H, Q, D]
Tensor MultiHead::project_query(const Tensor& query, bool masked) const {
  return split_heads(projected(query, 0, options_.width, masked, q_proj_weight), options_.heads);
}

// [.., Q + K - 1], for scores [B, H, Q, K] or [B, H / groups, groups, Q, K].
Tensor MultiHead::head_offsets(const OffsetBias& bias, Index queries, Index keys) const {
  const Tensor out = bias.offsets(queries, keys);
  if (out.rank() == 1 || (out.rank() == 2 && out.size(0) == 1)) return out;
  if (out.rank() != 2 || out.size(0) != options_.heads) {
    throw ShapeError(fmt::format("multi_head: position_bias must be of {} heads, or of 1, not {}",
                                 options_.heads, describe(out)));
  }
  return groups_ == 1 ? out : reshape(out, Shape{options_.kv_heads, groups_, out.size(1)});
}

// The heads of queries [B, H, Q, D] attend, and their contexts are joined.
Attended MultiHead::join(const Tensor& q, const Memory& memory, const Terms& given) const {
  const Index B = q.size(0), H = options_.heads, Q = q.size(2), K = memory.keys().size(2);
  if (memory.keys().size(0) != B) {
    throw ShapeError(
        fmt::format("multi_head: {} rows of queries and {} of keys", B, memory.keys().size(0)));
  }
  Terms terms = given;
  terms.mask = memory.mask() & given.mask;
  if (terms.position_bias != nullptr) {
    terms.offset_bias = head_offsets(*terms.position_bias, Q, K);
    terms.position_bias = nullptr;
  }
  terms.dropout = training() ? options_.dropout : 0;
  const bool masked = !terms.mask.all();
  Attended out;
  if (groups_ == 1) {
    out = named("multi_head", [&] { return memory.masked(Mask()).attend(q, terms); });
  } else {
    const Shape scores{B, H, Q, K};
    terms.mask = terms.mask.with_rest(grouped(terms.mask.rest(scores, "multi_head"), groups_));
    terms.bias = grouped(terms.bias, groups_);
    const Tensor grouped_q = reshape(q, Shape{B, options_.kv_heads, groups_, Q, D_});
    out = named("multi_head", [&] {
      return attend(grouped_q, unsqueeze(memory.keys(), 2), unsqueeze(memory.values(), 2), terms);
    });
    out.context = reshape(out.context, Shape{B, H, Q, D_});
    if (out.weights.defined()) out.weights = reshape(out.weights, scores);
  }
  // [B, H, Q, D] -> [B, Q, E]
  const Tensor joined = reshape(transpose(out.context, 1, 2), Shape{B, Q, H * D_});
  out.context = forwarded(guarded(joined, masked, out_proj));
  return out;
}

}  // namespace heed::attention
