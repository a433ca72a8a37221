#include "attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/kernels/attention.h"
#include "../../core/kernels/elementwise.h"
#include "../../core/kernels/reduce.h"
#include "../backward.h"
#include "../check_defined.h"
#include "../record.h"
#include "arrange.h"
#include "elementwise.h"
#include "matmul.h"
#include "shape.h"
#include "softmax.h"
#include "unfold.h"

namespace heed {
namespace {

Array array_of(const Tensor& tensor) { return tensor.defined() ? tensor.array() : Array(); }

// What a call differentiates by; the vector and the biases may be undefined.
struct Operands {
  Tensor q, k, vector, v, bias, offset_bias;

  /// In this order on the tape.
  std::vector<Tensor> list() const { return {q, k, vector, v, bias, offset_bias}; }
  template <class Get>
  static Operands from(const Get& get) {
    return {get(0), get(1), get(2), get(3), get(4), get(5)};
  }
};
constexpr std::size_t kBias = 4, kOffsetBias = 5;  // places in that order

kernels::AttentionScores scores_of(const Operands& x) {
  return {x.q.array(), x.k.array(), array_of(x.vector)};
}

kernels::AttentionTerms terms_of(const AttentionOptions& options) {
  return {options.scale,
          options.left,
          options.right,
          array_of(options.lengths),
          array_of(options.allowed),
          array_of(options.bias),
          array_of(options.offset_bias),
          options.blocks};
}

const char* op_of(const Operands& x) {
  return name(x.vector.defined() ? Op::additive_attention : Op::dot_attention);
}

// x, with zeros in the rows of which no element of the mask, over `axis`, is true: they take no
// part, but what stands there would meet a weight of 0.
Tensor without_unseen(const Tensor& x, const Array& mask, Index axis) {
  if (!mask.defined()) return x;
  const Array seen = kernels::any(mask, {axis}, true).transpose(axis, -1);  // [.., rows, 1]
  return where(Tensor(seen), x, tensor(0, x.dtype()));
}

Tensor plain(const Operands& x, const AttentionOptions& options) {
  Tensor q = x.q, k = x.k, v = x.v;
  const Array mask = kernels::attention_mask(op_of(x), scores_of(x), v.array(), terms_of(options));
  Array spread = mask;
  if (mask.defined()) {
    // At least [Q, K], so that both axes can be looked along.
    Shape shape{q.size(-2), k.size(-2)};
    spread = mask.expand(broadcast_shapes(op_of(x), mask.shape(), shape));
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
  if (x.bias.defined()) scores = scores + x.bias;
  if (x.offset_bias.defined()) {
    scores = scores + offset_block(x.offset_bias, q.size(-2), k.size(-2));
  }
  if (spread.defined()) {
    const Shape shape = broadcast_shapes(op_of(x), scores.shape(), spread.shape());
    return matmul(softmax(expand(scores, shape), -1, Tensor(spread)), v);
  }
  return matmul(softmax(scores, -1), v);
}

// For a pass that is recorded itself: the definition once more, and its gradients. Each operand
// comes as a view of its own, so that one tensor in two places gets two gradients.
Gradients plain_gradients(const Operands& x, const AttentionOptions& options, const Tensor& g,
                          const std::vector<bool>& needs) {
  std::vector<Tensor> views, wanted;
  for (const Tensor& operand : x.list()) {
    views.push_back(operand.defined() ? reshape(operand, operand.shape()) : Tensor());
    if (needs[views.size() - 1]) wanted.push_back(views.back());
  }
  const auto own = Operands::from([&](std::size_t i) { return views[i]; });
  const Gradients found = grad({plain(own, options)}, wanted, {g}, {.create_graph = true});
  Gradients to(views.size());
  for (std::size_t i = 0, next = 0; i < to.size(); ++i) {
    if (needs[i]) to[i] = found[next++];
  }
  return to;
}

// dv = p^T g,  ds = p (g v^T - rowsum(g out)),  and back through the scores; tile by tile.
Tensor attend(const Operands& x, const AttentionOptions& options, Tensor* log_sums) {
  const char* const op = op_of(x);
  const kernels::Attended result =
      kernels::attention(op, scores_of(x), x.v.array(), terms_of(options));
  if (log_sums) *log_sums = Tensor(result.log_sums);
  const std::vector<Tensor> operands = x.list();
  std::vector<InputRef> inputs(operands.begin(), operands.end());
  std::vector<Saved> saved(operands.begin(), operands.end());
  const auto rule = [op, saved = std::move(saved), options, out = SavedOutput(result.out),
                     sums = result.log_sums](const Gradients& g, const std::vector<bool>& needs) {
    const auto from = Operands::from([&](std::size_t i) { return saved[i](); });
    if (recording()) return plain_gradients(from, options, g[0], needs);
    const kernels::AttentionGrads grads =
        kernels::attention_grad(op, scores_of(from), from.v.array(), terms_of(options),
                                {out.array(), sums}, g[0].array(), needs[kBias],
                                needs[kOffsetBias]);
    Gradients to;
    for (const Array& gradient :
         {grads.q, grads.k, grads.vector, grads.v, grads.bias, grads.offset_bias}) {
      to.push_back(gradient.defined() ? Tensor(gradient) : Tensor());
    }
    return to;
  };
  const Op label = x.vector.defined() ? Op::additive_attention : Op::dot_attention;
  return record_joint(label, {result.out}, inputs, rule)[0];
}

Operands dot_operands(const Tensor& q, const Tensor& k, const Tensor& v,
                      const AttentionOptions& options) {
  check_defined("dot_attention", q, "q", k, "k", v, "v");
  return {q, k, Tensor(), v, options.bias, options.offset_bias};
}

Operands additive_operands(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                           const Tensor& v, const AttentionOptions& options) {
  check_defined("additive_attention", q, "q", k, "k", score_vector, "score_vector", v, "v");
  return {q, k, score_vector, v, options.bias, options.offset_bias};
}

// A call's parts as the kernels take them.
struct Looked {
  explicit Looked(const char* op, const AttentionCall& call) : terms(terms_of(call.options)) {
    check_defined(op, call.q, "q", call.k, "k", call.log_sums, "log_sums");
    scores = {call.q.array(), call.k.array(), array_of(call.score_vector)};
  }
  kernels::AttentionScores scores;
  kernels::AttentionTerms terms;
};

}  // namespace

Tensor dot_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                     const AttentionOptions& options, Tensor* log_sums) {
  return attend(dot_operands(q, k, v, options), options, log_sums);
}

Tensor additive_attention(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                          const Tensor& v, const AttentionOptions& options, Tensor* log_sums) {
  return attend(additive_operands(q, k, score_vector, v, options), options, log_sums);
}

Tensor dot_attention_plain(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionOptions& options) {
  return plain(dot_operands(q, k, v, options), options);
}

Tensor additive_attention_plain(const Tensor& q, const Tensor& k, const Tensor& score_vector,
                                const Tensor& v, const AttentionOptions& options) {
  return plain(additive_operands(q, k, score_vector, v, options), options);
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
