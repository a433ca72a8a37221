#include "synthesizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/softmax.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"
#include "../../detail/summed_score.h"

namespace heed::attention {
namespace {

// [B, T, H D] -> [B, H, T, D]
Tensor split_heads(const Tensor& x, Index heads) {
  const Shape shape{x.size(0), x.size(1), heads, x.size(2) / heads};
  return transpose(reshape(x, shape), 1, 2);
}

// W2 relu(W1 x + b1) + b2 for each head, of which the first `count` places are wanted.
class PerHead : public nn::Module {
 public:
  PerHead(const SynthesizerOptions& o, Index places)
      : weight(parameter("weight", zeros(Shape{o.heads, o.width / o.heads, places}, o.dtype))),
        bias(parameter("bias", zeros(Shape{o.heads, 1, places}, o.dtype))),
        hidden(child<nn::Linear>("hidden", o.width, o.width, true, o.dtype)) {
    const double bound = 1 / std::sqrt(static_cast<double>(o.width) / static_cast<double>(o.heads));
    nn::uniform_(weight, -bound, bound);
    nn::uniform_(bias, -bound, bound);
  }
  Tensor& weight;      // W2 [H, D, places]
  Tensor& bias;        // b2 [H, 1, places]
  nn::Linear& hidden;  // W1, b1 of all heads

  // [B, H, T, count]
  Tensor operator()(const Tensor& x, Index count) const {
    const Tensor h = split_heads(relu(hidden(x)), weight.size(0));
    return matmul(h, narrow(weight, -1, 0, count)) + narrow(bias, -1, 0, count);
  }
};

class Dense : public Synthesis {
 public:
  explicit Dense(const SynthesizerOptions& o) : row(child<PerHead>("row", o, o.max_length)) {}
  PerHead& row;
  Tensor operator()(const Tensor& x) const override { return row(x, x.size(1)); }
};

class FactorisedDense : public Synthesis {
 public:
  explicit FactorisedDense(const SynthesizerOptions& o)
      : a_(o.factor),
        b_(o.max_length / o.factor),
        inner(child<PerHead>("inner", o, a_)),
        outer(child<PerHead>("outer", o, b_)) {}

 private:
  Index a_, b_;

 public:
  PerHead& inner;  // A
  PerHead& outer;  // C

  Tensor operator()(const Tensor& x) const override {
    const Tensor products = unsqueeze(outer(x, b_), -1) * unsqueeze(inner(x, a_), -2);
    return narrow(flatten(products, -2, -1), -1, 0, x.size(1));  // [B, H, T, b, a] joined
  }
};

class Random : public Synthesis {
 public:
  Random(const SynthesizerOptions& o, bool trained)
      : weight(trained ? parameter("weight", draw(o)) : buffer("weight", draw(o))) {}
  Tensor& weight;  // R [H, L, L]
  Tensor operator()(const Tensor& x) const override {
    return narrow(narrow(weight, -1, 0, x.size(1)), -2, 0, x.size(1));
  }

 private:
  static Tensor draw(const SynthesizerOptions& o) {
    return randn(Shape{o.heads, o.max_length, o.max_length}, o.dtype);
  }
};

class FactorisedRandom : public Synthesis {
 public:
  explicit FactorisedRandom(const SynthesizerOptions& o)
      : left(parameter("left", zeros(Shape{o.heads, o.max_length, o.rank}, o.dtype))),
        right(parameter("right", zeros(Shape{o.heads, o.max_length, o.rank}, o.dtype))) {
    // Their product then has about the variance of R.
    const double deviation = std::pow(static_cast<double>(o.rank), -0.25);
    nn::normal_(left, 0, deviation);
    nn::normal_(right, 0, deviation);
  }
  Tensor& left;   // R1 [H, L, rank]
  Tensor& right;  // R2
  Tensor operator()(const Tensor& x) const override {
    const Index T = x.size(1);
    return matmul(narrow(left, 1, 0, T), transpose(narrow(right, 1, 0, T), 1, 2));
  }
};

class DotProduct : public Synthesis {
 public:
  explicit DotProduct(const SynthesizerOptions& o)
      : heads_(o.heads),
        query_projection(child<nn::Linear>("query_projection", o.width, o.width, true, o.dtype)),
        key_projection(child<nn::Linear>("key_projection", o.width, o.width, true, o.dtype)) {}

 private:
  Index heads_;

 public:
  nn::Linear& query_projection;
  nn::Linear& key_projection;
  Tensor operator()(const Tensor& x) const override {
    return ScaledDot()(split_heads(query_projection(x), heads_),
                       split_heads(key_projection(x), heads_));
  }
};

void add(nn::ModuleListOf<Synthesis>& scores, SynthesizerKind kind, const SynthesizerOptions& o) {
  switch (kind) {
    case SynthesizerKind::dense: scores.add<Dense>(o); return;
    case SynthesizerKind::random: scores.add<Random>(o, true); return;
    case SynthesizerKind::fixed_random: scores.add<Random>(o, false); return;
    case SynthesizerKind::factorised_dense: scores.add<FactorisedDense>(o); return;
    case SynthesizerKind::factorised_random: scores.add<FactorisedRandom>(o); return;
    case SynthesizerKind::dot_product: scores.add<DotProduct>(o); return;
  }
}

SynthesizerOptions checked(SynthesizerOptions options) {
  const auto positive = [](const char* what, Index size) {
    if (size <= 0) throw ValueError(fmt::format("synthesizer: {} {} must be positive", what, size));
  };
  positive("width", options.width);
  positive("heads", options.heads);
  positive("max_length", options.max_length);
  positive("rank", options.rank);
  if (options.width % options.heads != 0) {
    throw ValueError(fmt::format("synthesizer: heads {} does not divide width {}", options.heads,
                                 options.width));
  }
  if (options.factor == 0) {
    options.factor = static_cast<Index>(std::sqrt(static_cast<double>(options.max_length)));
    while (options.max_length % options.factor != 0) --options.factor;
  }
  positive("factor", options.factor);
  if (options.max_length % options.factor != 0) {
    throw ValueError(fmt::format("synthesizer: factor {} does not divide max_length {}",
                                 options.factor, options.max_length));
  }
  if (options.kinds.empty()) throw ValueError("synthesizer: kinds: there must be one at least");
  for (auto kind = options.kinds.begin(); kind != options.kinds.end(); ++kind) {
    if (std::find(options.kinds.begin(), kind, *kind) == kind) continue;
    throw ValueError(fmt::format("synthesizer: kinds: {} is there twice", name(*kind)));
  }
  if (!(options.dropout >= 0 && options.dropout <= 1)) {
    throw ValueError(fmt::format("synthesizer: dropout {} is not in [0, 1]", options.dropout));
  }
  return options;
}

}  // namespace

const char* name(SynthesizerKind kind) {
  switch (kind) {
    case SynthesizerKind::dense: return "dense";
    case SynthesizerKind::random: return "random";
    case SynthesizerKind::fixed_random: return "fixed_random";
    case SynthesizerKind::factorised_dense: return "factorised_dense";
    case SynthesizerKind::factorised_random: return "factorised_random";
    case SynthesizerKind::dot_product: return "dot_product";
  }
  return "unknown";
}

Synthesizer::Synthesizer(const SynthesizerOptions& options)
    : options_(checked(options)),
      mixture(parameter(
          "mixture", options_.kinds.size() > 1
                         ? zeros(Shape{static_cast<Index>(options_.kinds.size())}, options_.dtype)
                         : Tensor())),
      scores(child<nn::ModuleListOf<Synthesis>>("scores")),
      value_projection(child<nn::Linear>("value_projection", options_.width, options_.width, true,
                                         options_.dtype)),
      out_projection(child<nn::Linear>("out_projection", options_.width, options_.width, true,
                                       options_.dtype)) {
  for (const SynthesizerKind kind : options_.kinds) add(scores, kind, options_);
}

Attended Synthesizer::operator()(const Tensor& x, const Terms& given, KeyValueCache* cache) const {
  const Scope scope(*this);
  if (cache != nullptr || given.relative != nullptr) {
    throw ValueError(
        "synthesizer: takes no cache and no relative positions: its scores come from no pairs");
  }
  const Mask& mask = given.mask;
  check_defined("synthesizer", x, "x");
  const Index H = options_.heads;
  if (x.rank() != 3 || x.size(2) != options_.width || x.size(1) > options_.max_length) {
    throw ShapeError(fmt::format("synthesizer: x must be [B, T, {}] with T <= {}, not {}",
                                 options_.width, options_.max_length, describe(x)));
  }
  const DType dtype = value_projection.weight.dtype();  // to() may have changed it
  if (x.dtype() != dtype) {
    throw DTypeError(
        fmt::format("synthesizer: x is {}, the weights are {}", describe(x), name(dtype)));
  }
  const Index B = x.size(0), T = x.size(1);
  const Shape shape{B, H, T, T};
  // No NaN meets a parameter; who may see one gets it in the end.
  const FinitePart finite = finite_part(x);
  Tensor sum_of_scores;
  const Tensor w = mixture.defined() ? softmax(mixture, 0) : Tensor();
  Index n = 0;
  for (const Synthesis& score : scores) {
    const Tensor term = w.defined() ? score(finite.x) * select(w, 0, n) : score(finite.x);
    sum_of_scores = n++ == 0 ? term : sum_of_scores + term;
  }
  // All scores are biases: queries and keys say nothing. A map is of the scores, before biases.
  const Tensor nothing = zeros(Shape{B, H, T, 1}, dtype);
  const SummedScore mapped(sum_of_scores);
  static const ScaledDot none;
  const Score& score = given.map.defined() ? static_cast<const Score&>(mapped) : none;
  Terms terms = given;
  if (!given.map.defined()) {
    terms.bias = given.bias.defined() ? given.bias + sum_of_scores : sum_of_scores;
  }
  if (terms.dropout == 0 && training()) terms.dropout = options_.dropout;
  const Tensor values = split_heads(value_projection(finite.x), H);
  Attended out =
      named("synthesizer", [&] { return attend(score, nothing, nothing, values, terms); });
  out.context = out_projection(reshape(transpose(out.context, 1, 2), x.shape()));
  if (finite.bad.defined()) {
    const Tensor rows = unsqueeze(any(finite.bad, {-1}, true), 1);  // [B, 1, T, 1]
    const Tensor marks =
        spread_not_finite(nothing, {rows, rows, Tensor()}, mask, shape, &out.weights);
    out.context = out.context + sum(marks, {1});  // [B, T, 1], of zeros and NaN
    if (out.log_sums.defined()) out.log_sums = out.log_sums + squeeze(marks, -1);
  }
  out.context = forwarded(out.context);
  return out;
}

}  // namespace heed::attention
