#include "multi_head.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/layer_norm.h"
#include "../../../autograd/ops/normalise/rms_norm.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/widened.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "../../merge.h"
#include "grouped_heads.h"

namespace heed::attention {
namespace {

void check_positive(const char* what, Index size) {
  if (size <= 0) throw ValueError(fmt::format("multi_head: {} {} must be positive", what, size));
}

void check_divides(const char* part, Index a, const char* whole, Index b) {
  if (b % a == 0) return;
  throw ValueError(fmt::format("multi_head: {} {} does not divide {} {}", part, a, whole, b));
}

MultiHeadOptions checked(MultiHeadOptions options) {
  if (options.kv_heads == 0) options.kv_heads = options.heads;
  if (options.key_width == 0) options.key_width = options.width;
  if (options.value_width == 0) options.value_width = options.width;
  check_positive("width", options.width);
  check_positive("heads", options.heads);
  check_positive("kv_heads", options.kv_heads);
  check_positive("key_width", options.key_width);
  check_positive("value_width", options.value_width);
  if (options.head_width == 0) {
    check_divides("heads", options.heads, "width", options.width);
    options.head_width = options.width / options.heads;
  }
  if (options.value_head_width == 0) options.value_head_width = options.head_width;
  check_positive("head_width", options.head_width);
  check_positive("value_head_width", options.value_head_width);
  check_divides("kv_heads", options.kv_heads, "heads", options.heads);
  if (options.rotary && options.head_width % 2 != 0) {
    throw ValueError(
        fmt::format("multi_head: rotary needs an even head width, not {}", options.head_width));
  }
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    throw ValueError(fmt::format("multi_head: dropout {} is not in [0, 1]", options.dropout));
  }
  if (options.score != nullptr && options.scale) {
    throw ValueError("multi_head: a scale is of the dot product: give it to the score itself");
  }
  if (options.extras.slots < 0) {
    throw ValueError(
        fmt::format("multi_head: slots {} must not be negative", options.extras.slots));
  }
  if (options.extras.any() && options.relative != nullptr) {
    throw ValueError("multi_head: extra keys have no place for relative positions to count from");
  }
  return options;
}

// Rows of the joined projection, of queries, keys and values.
struct JoinedRows {
  Index queries, keys, values;
  explicit JoinedRows(const MultiHeadOptions& o)
      : queries(Checked("multi_head", o.heads) * o.head_width),
        keys(Checked("multi_head", o.kv_heads) * o.head_width),
        values(Checked("multi_head", o.kv_heads) * o.value_head_width) {}
  Index all() const { return Checked("multi_head", queries) + keys + values; }
};

void check_input(const char* what, const Tensor& x, Index width, DType dtype) {
  if (!x.defined()) throw GradError(fmt::format("multi_head: {} is undefined", what));
  if (x.rank() != 3 || x.size(2) != width) {
    throw ShapeError(
        fmt::format("multi_head: {} must be [B, T, {}], not {}", what, width, describe(x)));
  }
  if (!heed::detail::reads_as(x, dtype)) {
    throw DTypeError(
        fmt::format("multi_head: {} is {}, the weights are {}", what, describe(x), name(dtype)));
  }
}

Tensor weight(bool there, Index rows, Index columns, DType dtype) {
  return there ? zeros(Shape{rows, columns}, dtype) : Tensor();
}

}  // namespace

MultiHead::MultiHead(const MultiHeadOptions& options)
    : options_(checked(options)),
      D_(options_.head_width),
      Dv_(options_.value_head_width),
      groups_(options_.heads / options_.kv_heads),
      packed_(options_.key_width == options_.width && options_.value_width == options_.width),
      dot_(options_.scale),
      in_proj_weight(parameter("in_proj_weight", weight(packed_, JoinedRows(options_).all(),
                                                        options_.width, options_.dtype))),
      q_proj_weight(parameter("q_proj_weight", weight(!packed_, JoinedRows(options_).queries,
                                                      options_.width, options_.dtype))),
      k_proj_weight(parameter("k_proj_weight", weight(!packed_, JoinedRows(options_).keys,
                                                      options_.key_width, options_.dtype))),
      v_proj_weight(parameter("v_proj_weight", weight(!packed_, JoinedRows(options_).values,
                                                      options_.value_width, options_.dtype))),
      in_proj_bias(parameter(
          "in_proj_bias",
          options_.bias ? zeros(Shape{JoinedRows(options_).all()}, options_.dtype) : Tensor())),
      out_proj(child<nn::Linear>("out_proj", Checked("multi_head", options_.heads) * Dv_,
                                 options_.width, options_.out_bias.value_or(options_.bias),
                                 options_.dtype)),
      score(options_.score != nullptr ? shared_child("score", options_.score)
                                      : static_cast<Score&>(dot_)),
      normaliser(options_.normaliser != nullptr ? &shared_child("normaliser", options_.normaliser)
                                                : nullptr),
      relative(options_.relative != nullptr ? &shared_child("relative", options_.relative)
                                            : nullptr),
      q_norm(parameter(
          "q_norm", options_.qk_norm != QkNorm::none ? ones(Shape{D_}, options_.dtype) : Tensor())),
      k_norm(parameter(
          "k_norm", options_.qk_norm != QkNorm::none ? ones(Shape{D_}, options_.dtype) : Tensor())),
      gate(options_.gate ? &child<nn::Linear>("gate", options_.width, options_.heads * Dv_, true,
                                              options_.dtype)
                         : nullptr),
      head_scale(parameter("head_scale", options_.head_scale
                                             ? ones(Shape{options_.heads}, options_.dtype)
                                             : Tensor())),
      sinks(parameter("sinks",
                      options_.sinks ? zeros(Shape{options_.heads}, options_.dtype) : Tensor())),
      slot_keys(parameter("slot_keys", weight(options_.extras.slots > 0, options_.extras.slots,
                                              JoinedRows(options_).keys, options_.dtype))),
      slot_values(parameter("slot_values", weight(options_.extras.slots > 0, options_.extras.slots,
                                                  JoinedRows(options_).values, options_.dtype))),
      bias_k(parameter("bias_k", options_.extras.bias_kv
                                     ? zeros(Shape{1, 1, JoinedRows(options_).keys}, options_.dtype)
                                     : Tensor())),
      bias_v(
          parameter("bias_v", options_.extras.bias_kv
                                  ? zeros(Shape{1, 1, JoinedRows(options_).values}, options_.dtype)
                                  : Tensor())) {
  for (Tensor* each : {&in_proj_weight, &q_proj_weight, &k_proj_weight, &v_proj_weight}) {
    if (each->defined()) nn::xavier_uniform_(*each);
  }
  if (out_proj.bias.defined()) nn::zeros_(out_proj.bias);
  if (slot_keys.defined()) {
    nn::normal_(slot_keys, 0, 1 / std::sqrt(static_cast<double>(D_)));
    nn::normal_(slot_values, 0, 1 / std::sqrt(static_cast<double>(options_.extras.slots)));
  }
  for (Tensor* each : {&bias_k, &bias_v}) {
    if (each->defined()) nn::xavier_normal_(*each);
  }
}

// [B, T, heads D] -> [B, heads, T, D], a view.
Tensor MultiHead::split_heads(const Tensor& x, Index heads, Index width) const {
  return transpose(reshape(x, Shape{x.size(0), x.size(1), heads, width}), 1, 2);
}

Tensor MultiHead::normed(const Tensor& x, const Tensor& weight, bool masked) const {
  if (options_.qk_norm == QkNorm::none) return x;
  return guarded(x, masked, [&](const Tensor& finite) {
    if (options_.qk_norm == QkNorm::rms) return rms_norm(finite, Shape{D_}, weight);
    return layer_norm(finite, Shape{D_}, weight);
  });
}

// `x` through rows first .. first + count of the joined projection, or through a weight of its own.
Tensor MultiHead::projected(const Tensor& x, Index first, Index count, bool masked,
                            const Tensor& weight) const {
  const auto rows = [&](const Tensor& joined) {
    const bool whole = !joined.defined() || joined.size(0) == count;
    return whole ? joined : narrow(joined, 0, first, count);
  };
  const Tensor& matrix = weight.defined() ? weight : in_proj_weight;
  return guarded(heed::detail::wide(x), masked, [&](const Tensor& finite) {
    Tensor y = linear(finite, weight.defined() ? weight : rows(matrix), rows(in_proj_bias));
    for (const auto& [adapted, lora] : lora_) {
      if (adapted == &matrix) return (*lora)(y, finite, weight.defined() ? 0 : first, count);
    }
    return y;
  });
}

MultiHead::Heads MultiHead::project_heads(const Tensor& keys, const Tensor& values,
                                          bool masked) const {
  check_input("keys", keys, options_.key_width, out_proj.weight.dtype());
  check_input("values", values, options_.value_width, out_proj.weight.dtype());
  const JoinedRows rows(options_);
  Tensor k, v;
  if (packed_ && keys.is_same(values)) {
    const std::vector<Tensor> both =
        split(projected(keys, rows.queries, rows.keys + rows.values, masked),
              {rows.keys, rows.values}, -1);
    k = both[0];
    v = both[1];
  } else {
    k = projected(keys, rows.queries, rows.keys, masked, k_proj_weight);
    v = projected(values, rows.queries + rows.keys, rows.values, masked, v_proj_weight);
  }
  return {normed(split_heads(k, options_.kv_heads, D_), k_norm, masked),
          split_heads(v, options_.kv_heads, Dv_)};
}

Memory MultiHead::project(const Tensor& keys, const Tensor& values, const Mask& mask) const {
  const Scope scope(*this, Scope::unhooked);
  const Heads heads = project_heads(keys, values, !mask.all());
  return Memory(score, heads.keys, heads.values, mask);
}

Attended MultiHead::operator()(const Packed& x, const Terms& terms) const {
  const Scope scope(*this);
  check_offsets("multi_head", x.offsets, x.tokens);
  Terms own = terms;
  own.mask = Mask::segments(x.offsets) & terms.mask;
  Attended out = (*this)(unsqueeze(x.tokens, 0), own);
  out.context = squeeze(out.context, 0);
  return out;
}

Attended MultiHead::operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                               const Terms& terms, KeyValueCache* given) const {
  const Scope scope(*this);
  check_input("query", query, options_.width, out_proj.weight.dtype());
  CacheOfCall cache(given);
  const Normaliser* by = terms.normaliser != nullptr ? terms.normaliser : normaliser;
  if (cache && (score.uses_previous_weights() || (by != nullptr && by->is_stateful()))) {
    throw ValueError(
        "multi_head: takes no cache: its score or normaliser goes on from query to query");
  }
  const bool masked = !terms.mask.all();
  Tensor q;
  Heads heads;
  if (packed_ && query.is_same(keys) && query.is_same(values)) {
    const JoinedRows rows(options_);
    const std::vector<Tensor> all =
        split(projected(query, 0, rows.all(), masked), {rows.queries, rows.keys, rows.values}, -1);
    q = normed(split_heads(all[0], options_.heads, D_), q_norm, masked);
    heads = {normed(split_heads(all[1], options_.kv_heads, D_), k_norm, masked),
             split_heads(all[2], options_.kv_heads, Dv_)};
  } else {
    q = project_query(query, masked);
    heads = project_heads(keys, values, masked);
  }
  const Index T = q.size(2);
  const Index before = cache ? cache->length() : 0;
  if (options_.rotary && !cache.rolls()) {
    q = rotary(q, options_.rotary_options, before);
    heads.keys = rotary(heads.keys, options_.rotary_options, before);
  }
  if (cache.rolls()) {
    const Index K = cache->length_after(heads.keys.size(2));
    check_terms("multi_head", {q.size(0), options_.heads, T, K}, q.dtype(), terms);
  }
  if (cache) {
    cache->append(heads.keys, heads.values);
    heads = {cache->keys(), cache->values()};
  }
  if (options_.rotary && cache.rolls()) {  // places within what is held, as in StreamingLLM
    q = rotary(q, options_.rotary_options, cache->length() - T);  // below 0: dropped already
    heads.keys = rotary(heads.keys, options_.rotary_options);
  }
  Attended out = join(query, q, Memory(score, heads.keys, heads.values), terms);
  cache.keep();
  return out;
}

Attended MultiHead::attend_to(const Tensor& query, const Memory& memory, const Terms& terms) const {
  const Scope scope(*this);
  if (options_.rotary) {
    throw ValueError("multi_head: attend_to takes a fixed memory: no rotary positions");
  }
  check_input("query", query, options_.width, out_proj.weight.dtype());
  return join(query, project_query(query, !memory.mask().all() || !terms.mask.all()), memory,
              terms);
}

// [B, Q, E] -> [B, H, Q, D]
Tensor MultiHead::project_query(const Tensor& query, bool masked) const {
  const Index count = options_.heads * D_;
  return normed(split_heads(projected(query, 0, count, masked, q_proj_weight), options_.heads, D_),
                q_norm, masked);
}

// What the options say where the call does not, for scores of all heads.
Terms MultiHead::terms_of_heads(const Terms& given, const Mask& mask, Index queries,
                                Index keys) const {
  Terms terms = wide_beside(out_proj.weight.dtype(), given);
  terms.mask = mask;
  if (terms.normaliser == nullptr) terms.normaliser = normaliser;
  if (terms.relative == nullptr) terms.relative = relative;
  if (!terms.sinks.defined()) terms.sinks = sinks;
  if (terms.dropout == 0 && training()) terms.dropout = options_.dropout;
  if (terms.position_bias == nullptr) return terms;
  const Tensor offsets = terms.position_bias->offsets(queries, keys);
  if (offsets.rank() > 2 ||
      (offsets.rank() == 2 && offsets.size(0) != 1 && offsets.size(0) != options_.heads)) {
    throw ShapeError(fmt::format("multi_head: position_bias must be of {} heads, or of 1, not {}",
                                 options_.heads, describe(offsets)));
  }
  terms.offset_bias = terms.offset_bias.defined() ? terms.offset_bias + offsets : offsets;
  terms.position_bias = nullptr;
  return terms;
}

// The heads of queries [B, H, Q, D] attend, and their contexts are joined.
Attended MultiHead::join(const Tensor& query, const Tensor& q, const Memory& memory,
                         const Terms& given) const {
  const Index B = q.size(0), H = options_.heads, Q = q.size(2), K = memory.keys().size(2);
  if (memory.keys().size(0) != B) {
    throw ShapeError(
        fmt::format("multi_head: {} rows of queries and {} of keys", B, memory.keys().size(0)));
  }
  const Mask mask = memory.mask() & given.mask;
  if (options_.extras.any() && given.relative != nullptr) {
    throw ValueError("multi_head: extra keys have no place for relative positions to count from");
  }
  const Terms terms = terms_of_heads(given, mask, Q, K);
  const Memory own = memory.masked(Mask());
  const auto attended = [&](const Memory& at, const Terms& by) {
    return groups_ == 1 ? at.attend(q, by) : attend_in_groups(q, at, by);
  };
  const auto all = [&] {
    if (!options_.extras.any()) return attended(own, terms);
    const HeadExtras extras({slot_keys, slot_values, bias_k, bias_v}, options_.extras.zero,
                            options_.kv_heads, D_);
    if (!terms.map.defined()) {
      return attended(extras.behind(own), extras.widened(terms, own, Shape{B, H, Q, K}));
    }
    // A map asks for places, which the extra keys do not have.
    Terms parts = terms;
    parts.need_log_sums = true;
    parts.need_weights = terms.need_weights || terms.need_statistics;
    parts.need_statistics = false;
    const Terms beside = extras.alone(parts);
    Attended both = merge({attended(own, parts), attended(extras.alone(own), beside)});
    if (terms.need_statistics) both.statistics = AttentionStatistics(both.weights);
    if (!terms.need_weights) both.weights = Tensor();
    if (!terms.need_log_sums) both.log_sums = Tensor();
    return both;
  };
  Attended out = named("multi_head", all);
  Tensor heads = out.context;  // [B, H, Q, Dv]
  // Rows that are not finite do not meet what is everyone's.
  const auto scaled = [&](const Tensor& x) { return x * reshape(head_scale, Shape{H, 1, 1}); };
  if (head_scale.defined()) heads = guarded(heads, !mask.all(), scaled);
  Tensor joined = reshape(transpose(heads, 1, 2), Shape{B, Q, H * Dv_});
  const auto gates = [&](const Tensor& x) { return sigmoid((*gate)(x)); };
  if (gate != nullptr) {
    const Tensor open = guarded(heed::detail::wide(query), !mask.all(), gates);
    joined = mask.all() ? joined * open : product_of_rows(joined, open);
  }
  out.context = forwarded(guarded(joined, !mask.all(), out_proj));
  return out;
}

}  // namespace heed::attention
