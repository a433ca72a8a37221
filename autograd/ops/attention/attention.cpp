#include "attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "../../../core/error.h"
#include "../../../core/kernels/attention/attention.h"
#include "../../../core/kernels/attention/tile_rule.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/traced.h"
#include "../../backward.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/compare.h"
#include "../elementwise/elementwise.h"
#include "../linalg/matmul.h"
#include "../normalise/softmax.h"
#include "../reduce/reduce.h"
#include "../shape/arrange.h"
#include "../shape/shape.h"
#include "../shape/unfold.h"
#include "../shape/widened.h"
#include "followed_mask.h"
#include "sinks.h"

namespace heed {
namespace {

Array array_of(const Tensor& tensor) { return tensor.defined() ? tensor.array() : Array(); }

// What a call differentiates by; the vector, the biases and the sinks may be undefined.
struct Operands {
  Tensor q, k, vector, v, bias, offset_bias, sinks;
  std::vector<Tensor> captured;  // by the map

  /// In this order on the tape.
  std::vector<Tensor> list() const {
    std::vector<Tensor> all{q, k, vector, v, bias, offset_bias, sinks};
    all.insert(all.end(), captured.begin(), captured.end());
    return all;
  }
  static Operands from(std::vector<Tensor> all) {
    return {all[0], all[1], all[2], all[3],
            all[4], all[5], all[6], {all.begin() + kCaptured, all.end()}};
  }
  static constexpr std::ptrdiff_t kCaptured = 7;
};
constexpr std::size_t kBias = 4, kOffsetBias = 5, kSinks = 6;  // places in that order

Operands in_f32(const Operands& x) {
  if (!detail::hold_bf16(x.q, x.k, x.vector, x.v, x.bias, x.offset_bias, x.sinks)) return x;
  std::vector<Tensor> all = x.list();
  for (Tensor& each : all) each = detail::wide(each);
  return Operands::from(all);
}

// A call's options, and where its random numbers stand.
struct Call {
  AttentionOptions options;
  Generator::State draws = {};
};

kernels::AttentionScores scores_of(const Operands& x) {
  return {x.q.array(), x.k.array(), array_of(x.vector)};
}

// [.., Q, K]
Shape scores_of_shape(const char* op, const Operands& x) {
  const auto lead = [](const Tensor& t) {
    return Shape(t.shape().begin(), std::max<Index>(t.rank() - 2, 0));
  };
  const auto check = [&](const char* what, const Tensor& t) {
    if (t.rank() >= 2) return;
    throw ShapeError(fmt::format("{}: {} needs rank 2 or more, not {}", op, what, describe(t)));
  };
  check("q", x.q);
  check("k", x.k);
  check("v", x.v);
  Shape shape = broadcast_shapes(op, lead(x.q), broadcast_shapes(op, lead(x.k), lead(x.v)));
  shape.push_back(x.q.size(-2));
  shape.push_back(x.k.size(-2));
  return shape;
}

// `wanted`: whose gradients are, in the order of the list.
kernels::AttentionTerms terms_of(const char* op, const Call& call, const Operands& x,
                                 const std::vector<bool>& wanted = {}) {
  const AttentionOptions& options = call.options;
  kernels::AttentionTerms terms{options.scale,
                                options.left,
                                options.right,
                                array_of(options.lengths),
                                array_of(options.allowed),
                                array_of(x.bias),
                                array_of(x.offset_bias),
                                options.blocks,
                                options.segments,
                                options.rule,
                                nullptr,
                                array_of(x.sinks),
                                options.dropout,
                                call.draws};
  if (!options.map.defined()) return terms;
  std::vector<bool> captured;
  if (!wanted.empty()) captured.assign(wanted.begin() + Operands::kCaptured, wanted.end());
  terms.map = options.map.with(x.captured).bind(scores_of_shape(op, x), x.q.dtype(), captured);
  return terms;
}

const char* op_of(const Operands& x) {
  return name(x.vector.defined() ? Op::additive_attention : Op::dot_attention);
}

// The weights before dropout [.., Q, K], and the logs of their sums, of scores that a sink stands
// beside.
struct Weights {
  Tensor weights, log_sums;
};
Weights weigh(const Tensor& scores, const Tensor& allowed, const Tensor& sinks) {
  ScoresBesideSinks all{scores, allowed};
  if (sinks.defined()) all = beside_sinks(scores, allowed, sinks);
  const Tensor weights = softmax(all.scores, -1, all.allowed);
  return {narrow(weights, -1, 0, scores.size(-1)), log_sums_of(all.scores, all.allowed)};
}

Tensor dropped(const Tensor& weights, double p, const Generator::State& draws) {
  const auto [kept, scale] = kernels::attention_kept(weights.shape(), p, draws);
  return where(Tensor(kept), weights * scale, 0);
}

struct Attended {
  Tensor out, log_sums;
};

Attended plain(const Operands& x, const Call& call) {
  // As the tiles of additive_attention() are.
  const PrecisionScope scope(x.vector.defined() ? Precision::f32 : precision());
  const AttentionOptions& options = call.options;
  Tensor q = x.q, k = x.k, v = x.v;
  const Shape whole = scores_of_shape(op_of(x), x);
  const Array mask =
      kernels::attention_mask(op_of(x), scores_of(x), v.array(), terms_of(op_of(x), call, x));
  Tensor spread = mask.defined() ? Tensor(mask) : Tensor();
  if (traced()) spread = followed_mask(options, whole);
  if (spread.defined()) {
    // At least [Q, K], so that both axes can be looked along.
    const Shape shape{q.size(-2), k.size(-2)};
    spread = expand(spread, broadcast_shapes(op_of(x), spread.shape(), shape));
  }
  q = without_unseen(q, spread, -1);
  k = without_unseen(k, spread, -2);
  v = without_unseen(v, spread, -2);
  Tensor scores;  // [.., Q, K]
  if (x.vector.defined()) {
    scores = matmul(tanh(unsqueeze(q, -2) + unsqueeze(k, -3)), x.vector);
  } else {
    scores = matmul(q, transpose(k, -2, -1));
  }
  scores = scores * options.scale;
  if (options.map.defined()) {
    scores = options.map.with(x.captured)(expand(scores, whole));
    spread = but_hidden(spread, scores);
  }
  const auto add = [&](const Tensor& bias) {
    scores = scores + bias;
    spread = but_hidden(spread, bias);
  };
  if (x.bias.defined()) add(x.bias);
  if (x.offset_bias.defined()) add(offset_block(x.offset_bias, q.size(-2), k.size(-2)));
  const Weights made = weigh(expand(scores, whole), spread, x.sinks);
  Tensor weights = made.weights;
  if (options.dropout > 0) weights = dropped(weights, options.dropout, call.draws);
  return {matmul(weights, v), made.log_sums};
}

// For a pass that is recorded itself: the definition once more, and its gradients. Each operand
// comes as a view of its own, so that one tensor in two places gets two gradients.
Gradients plain_gradients(const Operands& x, const Call& call, const Gradients& g,
                          const std::vector<bool>& needs) {
  std::vector<Tensor> views, wanted;
  for (const Tensor& operand : x.list()) {
    views.push_back(operand.defined() ? reshape(operand, operand.shape()) : Tensor());
    if (needs[views.size() - 1]) wanted.push_back(views.back());
  }
  const Attended again = plain(Operands::from(views), call);
  std::vector<Tensor> outs, back;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const Tensor& out = i == 0 ? again.out : again.log_sums;
    if (!g[i].defined() || !out.requires_grad())
      continue;  // without keys nothing leads to the sums
    outs.push_back(out);
    back.push_back(g[i]);
  }
  const Gradients found = grad(outs, wanted, back, {.create_graph = true});
  Gradients to(views.size());
  for (std::size_t i = 0, next = 0; i < to.size(); ++i) {
    if (needs[i]) to[i] = found[next++];
  }
  return to;
}

// A sink's weight is exp(sink - log_sum), and it pulls the result towards 0: [.., Q] for each
// query.
Tensor grad_of_sinks(const Tensor& sinks, const Tensor& out, const Tensor& log_sums,
                     const Tensor& rests, const Tensor& g, const Tensor& g_log_sums) {
  const Tensor some = log_sums > -std::numeric_limits<double>::infinity();
  const Tensor less = unsqueeze(sinks, -1) - where(some, log_sums, 0);
  const Tensor weight = where(some, exp(less - rests), 0);
  Tensor pull = sum(out * g, {-1});
  if (g_log_sums.defined()) pull = pull - g_log_sums;
  return sum(-weight * pull, {-1});
}

// What the gradient reads of the options, beside the operands: it throws GradError after a write.
std::vector<Saved> saved_masks(const AttentionOptions& options) {
  if (!recording()) return {};
  std::vector<Saved> saved{Saved(options.allowed), Saved(options.lengths)};
  if (options.rule == nullptr) return saved;
  for (const Array& each : options.rule->reads()) saved.emplace_back(Tensor(each));
  return saved;
}

// dv = p^T g,  ds = p (g v^T - rowsum(g out)),  and back through the scores; tile by tile.
Tensor attend(const Operands& x, const AttentionOptions& options, Tensor* log_sums) {
  const char* const op = op_of(x);
  Call call{options};
  if (options.dropout > 0 && options.dropout <= 1) {
    Generator& generator = options.generator ? *options.generator : default_generator();
    call.draws = generator.skip(kernels::attention_dropout_blocks(scores_of_shape(op, x)));
  }
  const kernels::Attended result =
      kernels::attention(op, scores_of(x), x.v.array(), terms_of(op, call, x));
  const std::vector<Tensor> operands = x.list();
  std::vector<InputRef> inputs(operands.begin(), operands.end());
  std::vector<Saved> saved(operands.begin(), operands.end());
  const auto rule = [op, saved = std::move(saved), call, masks = saved_masks(options),
                     out = SavedOutput(result.out), sums = result.log_sums,
                     rests = result.rests](const Gradients& given, const std::vector<bool>& needs) {
    std::vector<Tensor> all;
    for (const Saved& each : saved) all.push_back(each());
    for (const Saved& each : masks) each();
    const auto from = Operands::from(all);
    if (recording()) return plain_gradients(from, call, given, needs);
    const Tensor g = given[0].defined() ? given[0] : zeros(out.array().shape(), from.q.dtype());
    const Tensor g_sums = given.size() > 1 ? given[1] : Tensor();
    kernels::AttentionGrads grads =
        kernels::attention_grad(op, scores_of(from), from.v.array(),
                                terms_of(op, call, from, needs), {out.array(), sums, rests},
                                {g.array(), array_of(g_sums)}, needs[kBias], needs[kOffsetBias]);
    Gradients to;
    for (const Array& gradient :
         {grads.q, grads.k, grads.vector, grads.v, grads.bias, grads.offset_bias}) {
      to.push_back(gradient.defined() ? Tensor(gradient) : Tensor());
    }
    to.push_back(needs[kSinks] ? grad_of_sinks(from.sinks, Tensor(out.array()), Tensor(sums),
                                               Tensor(rests), g, g_sums)
                               : Tensor());
    grads.captured.resize(from.captured.size());
    for (std::size_t c = 0; c < from.captured.size(); ++c) {
      const Tensor& like = from.captured[c];
      const Array& own = grads.captured[c];
      to.push_back(own.defined() ? Tensor(own.to(like.dtype()).reshape(like.shape())) : Tensor());
    }
    return to;
  };
  const Op label = x.vector.defined() ? Op::additive_attention : Op::dot_attention;
  std::vector<Array> outs{result.out};
  if (log_sums) outs.push_back(result.log_sums);
  const std::vector<Tensor> results = record_joint(label, outs, inputs, rule);
  if (log_sums) *log_sums = results[1];
  return results[0];
}

// As attend() draws.
Tensor plain(const Operands& x, const AttentionOptions& options, Tensor* log_sums) {
  Call call{options};
  if (options.dropout > 0) {
    Generator& generator = options.generator ? *options.generator : default_generator();
    call.draws = generator.skip(kernels::attention_dropout_blocks(scores_of_shape(op_of(x), x)));
  }
  const Attended made = plain(x, call);
  if (log_sums) *log_sums = made.log_sums;
  return made.out;
}

Operands dot_operands(const Tensor& q, const Tensor& k, const Tensor& v,
                      const AttentionOptions& options) {
  check_defined("dot_attention", q, "q", k, "k", v, "v");
  return {
      q, k, Tensor(), v, options.bias, options.offset_bias, options.sinks, options.map.captured()};
}

Operands additive_operands(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                           const Tensor& v, const AttentionOptions& options) {
  check_defined("additive_attention", q, "q", k, "k", score_vector, "score_vector", v, "v");
  return {q,
          k,
          score_vector,
          v,
          options.bias,
          options.offset_bias,
          options.sinks,
          options.map.captured()};
}

// A call's parts as the kernels take them.
struct Looked {
  explicit Looked(const char* op, const AttentionCall& call) : scope(call.precision) {
    check_defined(op, call.q, "q", call.k, "k", call.log_sums, "log_sums");
    // In the place of the values something that has their leading axes.
    const Tensor sums = unsqueeze(call.log_sums.detach(), -1);
    const Operands x =
        in_f32({call.q, call.k, call.score_vector, narrow(sums, -2, 0, 0), call.options.bias,
                call.options.offset_bias, call.options.sinks, call.options.map.captured()});
    scores = scores_of(x);
    terms = terms_of(op, {call.options}, x);
  }
  PrecisionScope scope;  // scores as they were
  kernels::AttentionScores scores;
  kernels::AttentionTerms terms;
};

}  // namespace

Tensor dot_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                     const AttentionOptions& options, Tensor* log_sums) {
  if (traced()) return dot_attention_plain(q, k, v, options, log_sums);
  return attend(in_f32(dot_operands(q, k, v, options)), options, log_sums);
}

Tensor additive_attention(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                          const Tensor& v, const AttentionOptions& options, Tensor* log_sums) {
  if (traced()) return additive_attention_plain(q, k, score_vector, v, options, log_sums);
  return attend(in_f32(additive_operands(q, k, score_vector, v, options)), options, log_sums);
}

Tensor dot_attention_plain(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionOptions& options, Tensor* log_sums) {
  return plain(in_f32(dot_operands(q, k, v, options)), options, log_sums);
}

Tensor additive_attention_plain(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                                const Tensor& v, const AttentionOptions& options,
                                Tensor* log_sums) {
  return plain(in_f32(additive_operands(q, k, score_vector, v, options)), options, log_sums);
}

Tensor attention_dropout(const Tensor& weights, double p, Generator* generator) {
  const char* const op = "attention_dropout";
  check_defined(op, weights, "weights");
  check_floating(op, weights.dtype());
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("{}: p {} is not in [0, 1]", op, p));
  if (weights.rank() < 2) {
    throw ShapeError(fmt::format("{}: weights must be [.., Q, K], not {}", op, describe(weights)));
  }
  if (p == 0) return weights;
  Generator& draw = generator ? *generator : default_generator();
  return dropped(weights, p, draw.skip(kernels::attention_dropout_blocks(weights.shape())));
}

// Windows of K elements, the last of them for the first query.
Tensor offset_block(const Tensor& offset_bias, Index queries, Index keys) {
  check_defined("offset_block", offset_bias, "offset_bias");
  const bool empty = queries == 0 || keys == 0;
  const Index count = std::max<Index>(queries + keys - 1, 0);
  if (queries < 0 || keys < 0 || offset_bias.rank() == 0 || offset_bias.size(-1) != count) {
    throw ShapeError(fmt::format("offset_block: {} is not [.., {}], for {} queries and {} keys",
                                 describe(offset_bias), count, queries, keys));
  }
  if (!empty) return flip(unfold(offset_bias, -1, keys, 1), {-2});
  Shape shape = offset_bias.shape();
  shape[shape.rank() - 1] = queries;
  shape.push_back(keys);
  return reshape(narrow(offset_bias, -1, 0, 0), Shape(shape));
}

Tensor attention_weights(const AttentionCall& call, const Tensor& rows) {
  const char* const op = "attention_weights";
  const Looked at(op, call);
  check_defined(op, rows, "rows");
  return kernels::attention_weights(op, at.scores, at.terms, call.log_sums.array(), rows.array());
}

Tensor attention_received(const AttentionCall& call) {
  const char* const op = "attention_received";
  const Looked at(op, call);
  return kernels::attention_received(op, at.scores, at.terms, call.log_sums.array());
}

Tensor attention_entropy(const AttentionCall& call) {
  const char* const op = "attention_entropy";
  const Looked at(op, call);
  return kernels::attention_entropy(op, at.scores, at.terms, call.log_sums.array());
}

}  // namespace heed
