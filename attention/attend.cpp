#include "attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../autograd/check_defined.h"
#include "../autograd/ops/attention/attention.h"
#include "../autograd/ops/attention/sinks.h"
#include "../autograd/ops/elementwise/compare.h"
#include "../autograd/ops/elementwise/dropout.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/linalg/matmul.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../autograd/ops/shape/widened.h"
#include "../core/error.h"
#include "../core/traced.h"
#include "biases/offset_bias.h"
#include "detail/checks.h"
#include "detail/named.h"
#include "detail/nan_guard.h"
#include "positions/relative.h"

namespace heed::attention {
namespace {

const Normaliser& normaliser_of(const Terms& terms) {
  static const Softmax softmax;
  return terms.normaliser != nullptr ? *terms.normaliser : softmax;
}

Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}

// A bias of scores, broadcasting to `shape`.
void check_bias(const char* what, const Tensor& bias, DType dtype, const Shape& shape,
                const Shape& scores) {
  if (!bias.defined()) return;
  if (!heed::detail::reads_as(bias, dtype)) {
    throw DTypeError(
        fmt::format("attend: {} must be {}, not {}", what, name(dtype), describe(bias)));
  }
  bool fits = bias.rank() <= shape.rank();
  for (Index axis = 1; fits && axis <= bias.rank(); ++axis) {
    fits = bias.size(-axis) == 1 || bias.size(-axis) == shape[shape.rank() - axis];
  }
  if (fits) return;
  throw ShapeError(fmt::format("attend: {} {} does not broadcast to scores {}", what,
                               describe(bias), heed::to_string(scores)));
}

void check_dropout(const Terms& terms) {
  if (terms.dropout >= 0 && terms.dropout <= 1) return;
  throw ValueError(fmt::format("attend: dropout {} is not in [0, 1]", terms.dropout));
}

void check_biases(const Shape& shape, DType dtype, const Terms& terms) {
  check_bias("bias", terms.bias, dtype, shape, shape);
  check_bias("sinks", terms.sinks, dtype, Shape(shape.begin(), shape.rank() - 2), shape);
  if (!terms.offset_bias.defined()) return;
  const Index rank = shape.rank();
  const Index count = std::max<Index>(shape[rank - 2] + shape[rank - 1] - 1, 0);
  if (terms.offset_bias.rank() == 0 || terms.offset_bias.size(-1) != count) {
    throw ShapeError(fmt::format("attend: offset_bias must be [.., {}] for scores {}, not {}",
                                 count, heed::to_string(shape), describe(terms.offset_bias)));
  }
  Shape offsets(shape.begin(), rank - 2);
  offsets.push_back(count);
  check_bias("offset_bias", terms.offset_bias, dtype, offsets, shape);
}

// Before anything is computed: what the parts themselves cannot see.
void check_call(const Tensor& query, const Memory& memory, const Terms& terms, const Shape& shape) {
  if (query.dtype() != memory.keys().dtype()) {
    throw DTypeError(fmt::format("attend: query and keys differ in dtype: {} and {}",
                                 describe(query), describe(memory.keys())));
  }
  check_dropout(terms);
  check_biases(shape, query.dtype(), terms);
}

// [.., Q, K], with the leading axes of the values, too.
Shape shape_of_call(const Tensor& query, const Memory& memory) {
  Shape shape = scores_shape("attend", query, memory.keys());
  const auto lead = [](const Shape& x) { return Shape(x.begin(), x.rank() - 2); };
  Shape whole = broadcast_shapes("attend", lead(shape), lead(memory.values().shape()));
  for (Index axis = -2; axis < 0; ++axis) whole.push_back(shape[shape.rank() + axis]);
  return whole;
}

// Scores [.., Q, K] or [.., Q, K, d], of which there may be too few axes, for a call's shape.
Tensor spread_to(const Tensor& scores, Shape shape, bool per_feature) {
  if (per_feature) shape.push_back(scores.size(-1));
  const Shape whole = broadcast_shapes("attend", scores.shape(), shape);
  return scores.shape() == whole ? scores : expand(scores, whole);
}

// Biases by offset are one tensor from here on, and softmax-plus-one is softmax beside a sink.
Terms settled(const Score& score, Terms terms, Index queries, Index keys, DType dtype) {
  terms = wide_beside(dtype, std::move(terms));
  const bool one_score = !score.per_feature() && !score.uses_previous_weights();
  if (normaliser_of(terms).is_softmax_plus_one() && one_score) {
    if (terms.sinks.defined()) {
      throw ValueError("attend: softmax-plus-one has a sink of its own: no sinks beside it");
    }
    terms.normaliser = nullptr;
    terms.sinks = zeros(Shape{}, dtype);
  }
  if (terms.position_bias == nullptr) return terms;
  terms.offset_bias = sum_of(terms.offset_bias, terms.position_bias->offsets(queries, keys));
  terms.position_bias = nullptr;
  return terms;
}

// Windows, blocks and lengths stay rules; only what is none of these becomes a tensor.
AttentionOptions tiled_options(const Shape& scores, const Mask& mask, const Terms& terms,
                               double scale) {
  AttentionOptions options{.scale = scale, .bias = terms.bias, .offset_bias = terms.offset_bias};
  options.map = terms.map;
  options.sinks = terms.sinks;
  options.dropout = terms.dropout;
  options.generator = terms.generator;
  if (mask.has_lengths() && scores.rank() < 3) {  // lengths of single queries
    options.allowed = mask.tensor(scores, "attend");
    return options;
  }
  options.left = mask.left();
  options.right = mask.right();
  options.blocks = mask.blocks();
  options.segments = mask.segment_offsets();
  options.rule = mask.places();
  options.allowed = mask.rest(scores, "attend");
  if (!mask.has_lengths()) return options;
  std::vector<Index> lengths = mask.key_lengths();
  if (lengths.size() == 1) lengths.assign(static_cast<std::size_t>(scores[0]), lengths[0]);
  options.lengths = Array::from<std::int64_t>(lengths);
  return options;
}

// What only a block of scores can say of itself.
void check_block(const Score& score, const Normaliser& normaliser, const Terms& terms) {
  const bool one_score = !score.per_feature() && !score.uses_previous_weights();
  const auto refuse = [](const char* what, const char* why) {
    throw ValueError(fmt::format("attend: {} {}", what, why));
  };
  if (terms.map.defined() && !one_score) refuse("a score map", "takes one score a place");
  if (terms.sinks.defined() && (!one_score || normaliser.is_stateful())) {
    refuse("sinks", "stand beside one score a place, and queries that know nothing of each other");
  }
  if (terms.need_statistics && score.per_feature()) {
    refuse("statistics", "are of one score a place");
  }
  if (terms.need_log_sums && (!one_score || !normaliser.is_softmax())) {
    refuse("log_sums", "are those of softmax, of one score a place");
  }
}

// A map gives no NaN of a score that is a number and seen.
Tensor mapped(const ScoreMap& map, const Tensor& scores, const Tensor& allowed) {
  Tensor out = map(scores);
  Tensor wrong = logical_and(isnan(out), isfinite(scores));
  if (allowed.defined()) wrong = logical_and(wrong, allowed);
  if (any(wrong).array().item() != 0) {
    throw ValueError("attend: the score map gives NaN of a score that is a number");
  }
  return out;
}

// The context in one pass over tiles.
Attended in_tiles(const Score::Form& form, const Tensor& values, const Shape& shape,
                  const Mask& mask, const Terms& terms) {
  AttentionCall call{form.q, form.k, form.vector, tiled_options(shape, mask, terms, form.scale),
                     Tensor()};
  const bool summed = terms.need_statistics || terms.need_log_sums;
  Tensor* const sums = summed ? &call.log_sums : nullptr;
  Attended out;
  out.context = form.vector.defined()
                    ? additive_attention(form.q, form.k, form.vector, values, call.options, sums)
                    : dot_attention(form.q, form.k, values, call.options, sums);
  if (terms.need_log_sums) out.log_sums = call.log_sums;
  if (terms.need_statistics) {
    call.log_sums = call.log_sums.detach();
    out.statistics = AttentionStatistics(std::move(call));
  }
  return out;
}

}  // namespace

void check_terms(const Shape& scores, DType dtype, const Terms& terms) {
  check_dropout(terms);
  check_biases(scores, dtype, terms);
  if (terms.position_bias != nullptr) {
    const Index rank = scores.rank();
    Terms by_place;
    by_place.offset_bias = terms.position_bias->offsets(scores[rank - 2], scores[rank - 1]);
    check_biases(scores, dtype, by_place);
  }
  terms.mask.rest(scores, "attend");  // throws where it does not fit
}

void check_terms(const char* op, const Shape& scores, DType dtype, const Terms& terms) {
  named(op, [&] { check_terms(scores, dtype, terms); });
}

Attended Memory::attend(const Tensor& query, const Terms& terms) const {
  Past past;
  return look(query, terms, mask_ & terms.mask, past);
}

Attended Memory::step(const Tensor& query, Past& past, const Terms& terms) const {
  check_defined("attend", query, "query");
  if (query.rank() < 1) {
    throw ShapeError("attend: a step's query must be [.., dq], not " + describe(query));
  }
  Terms row = terms;
  if (row.bias.defined() && row.bias.rank() > 0) row.bias = unsqueeze(row.bias, -2);
  Attended out = look(unsqueeze(query, -2), row, mask_ & terms.mask, past);
  out.context = squeeze(out.context, -2);
  if (out.weights.defined()) {
    out.weights = squeeze(out.weights, score_->per_feature() ? -3 : -2);
  }
  if (out.log_sums.defined()) out.log_sums = squeeze(out.log_sums, -1);
  return out;
}

Attended Memory::step(const Tensor& query, const Terms& terms) const {
  if (score_ != nullptr &&
      (score_->uses_previous_weights() || normaliser_of(terms).is_stateful())) {
    throw ValueError("attend: a step that goes on from the one before needs its Past");
  }
  Past none;
  return step(query, none, terms);
}

Attended Memory::look(const Tensor& query, const Terms& given, const Mask& asked,
                      Past& past) const {
  if (!defined()) throw GradError("attend: a memory of nothing");
  if (keys_.dtype() == DType::f32 && heed::detail::hold_bf16(query)) {
    return look(heed::detail::wide(query), given, asked, past);
  }
  const Shape shape = shape_of_call(query, *this);  // [.., Q, K]
  const Index queries = shape[shape.rank() - 2], keys = shape[shape.rank() - 1];
  const Terms terms = settled(*score_, given, queries, keys, keys_.dtype());  // handles, no numbers
  check_call(query, *this, terms, shape);
  const Mask mask = asked & within_reach();
  const Normaliser& normaliser = normaliser_of(terms);
  // One that traces follows the block's own operators.
  const bool tiles = !traced() && normaliser.is_softmax() && !terms.need_weights &&
                     terms.relative == nullptr && !score_->uses_previous_weights();

  // A single query shares its keys with none, and tiles pass over those that are masked: decoding
  // need not look through them.
  NanGuard guard(query, keys_, values_, mask);
  if (!tiles || queries > 1 || shared_) guard.look_through();
  Attended out;
  const auto form = tiles ? score_->form(guard.query(), guard.keys()) : std::nullopt;
  if (form) {
    out = in_tiles(*form, guard.values(), shape, mask, terms);
  } else {
    if (terms.tiles_only && !traced()) {
      throw ValueError(fmt::format(
          "attend: tiles_only, but scores {} need their block: the score, the normaliser or the "
          "terms have no tiled form",
          heed::to_string(shape)));
    }
    guard.look_through();
    const Tensor allowed = mask.tensor(shape, "attend");
    Tensor bias = terms.bias;
    if (terms.offset_bias.defined()) {
      bias = sum_of(bias, offset_block(terms.offset_bias, queries, keys));
    }
    out.weights =
        weigh(guard.query(), guard.keys(), bias, allowed, shape, terms, past, &out.log_sums);
    out.context = sum_up(out.weights, guard.values(), terms);
    if (terms.need_statistics) out.statistics = AttentionStatistics(out.weights);
  }
  Onward onward{score_->uses_previous_weights(), normaliser.is_stateful(), past.spoiled};
  out.context = guard.spread(out.context, shape, &out.weights, &onward);
  past.spoiled = onward.spoiled;
  if (out.log_sums.defined()) out.log_sums = guard.spread_sums(out.log_sums, shape);
  if (!terms.need_weights) out.weights = Tensor();
  return out;
}

Tensor Memory::weigh(const Tensor& query, const Tensor& keys, Tensor bias, const Tensor& allowed,
                     const Shape& shape, const Terms& terms, Past& past, Tensor* log_sums) const {
  const Normaliser& normaliser = normaliser_of(terms);
  check_block(*score_, normaliser, terms);
  if (terms.relative != nullptr) {
    const auto form = score_->form(query, keys);  // for its scale
    const auto width = static_cast<double>(query.size(-1));
    const double scale = form && !form->vector.defined() ? form->scale : 1 / std::sqrt(width);
    bias = sum_of(bias, terms.relative->scores(query, keys.size(-2), scale));
  }
  const auto rows = [&](const Tensor& q, const Tensor& b, const Tensor& may, const Tensor& before) {
    Shape own = shape;
    own[shape.rank() - 2] = q.size(-2);
    Tensor scores = spread_to(score_->among(q, keys, may, before), own, score_->per_feature());
    Tensor open = b.defined() ? but_hidden(may, b) : may;
    if (terms.map.defined()) {
      scores = mapped(terms.map, scores, may);
      open = but_hidden(open, scores);
    }
    if (!score_->per_feature()) {
      scores = sum_of(scores, b);
      if (!terms.sinks.defined()) {
        if (terms.need_log_sums) *log_sums = log_sums_of(scores, open);
        return normaliser(scores, open, -1, &past.state);
      }
      const ScoresBesideSinks all = beside_sinks(scores, open, terms.sinks);
      if (terms.need_log_sums) *log_sums = log_sums_of(all.scores, all.allowed);
      return narrow(normaliser(all.scores, all.allowed), -1, 0, scores.size(-1));
    }
    const auto by_feature = [](const Tensor& x) { return x.defined() ? unsqueeze(x, -1) : x; };
    return normaliser(sum_of(scores, by_feature(b)), by_feature(open), -2, &past.state);
  };
  if (!score_->uses_previous_weights()) return rows(query, bias, allowed, Tensor());
  // Each query needs the weights of the one before.
  std::vector<Tensor> weights;
  const auto row = [](const Tensor& x, Index i) {
    return x.defined() && x.rank() >= 2 && x.size(-2) > 1 ? narrow(x, -2, i, 1) : x;
  };
  for (Index i = 0; i < query.size(-2); ++i) {
    weights.push_back(rows(narrow(query, -2, i, 1), row(bias, i), row(allowed, i), past.weights));
    past.weights = score_->remember(past.weights, weights.back());
  }
  return weights.empty() ? rows(query, bias, allowed, Tensor()) : concat(weights, -2);
}

Tensor Memory::sum_up(Tensor weights, const Tensor& values, const Terms& terms) const {
  if (score_->per_feature() && weights.size(-1) != values.size(-1)) {
    throw ShapeError(fmt::format("attend: {} features have scores, values are {}", weights.size(-1),
                                 describe(values)));
  }
  if (terms.dropout > 0) {
    if (score_->per_feature()) {
      weights = dropout(weights, terms.dropout,
                        terms.generator != nullptr ? *terms.generator : default_generator());
    } else {
      weights = attention_dropout(weights, terms.dropout, terms.generator);
    }
  }
  if (score_->per_feature()) return sum(weights * unsqueeze(values, -3), {-2});
  const Tensor context = matmul(weights, values);
  return terms.relative != nullptr ? context + terms.relative->context(weights) : context;
}

Attended attend(const Tensor& query, const Memory& memory, const Terms& terms) {
  return memory.attend(query, terms);
}

Attended attend(const Score& score, const Tensor& query, const Tensor& keys, const Tensor& values,
                const Terms& terms) {
  Past past;
  return Memory(score, keys, values).look(query, terms, terms.mask, past);
}

Attended attend(const Tensor& query, const Tensor& keys, const Tensor& values, const Terms& terms) {
  Past past;
  return Memory(keys, values).look(query, terms, terms.mask, past);
}

}  // namespace heed::attention
