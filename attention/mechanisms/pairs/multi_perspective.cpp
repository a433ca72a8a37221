#include "multi_perspective.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/normalise/normalize.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/arrange.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/checked.h"
#include "../../../core/error.h"
#include "../../../core/generator.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

constexpr const char* kOp = "multi_perspective";
constexpr double kEps = 1e-8;
constexpr double kNone = -std::numeric_limits<double>::infinity();

const MultiPerspectiveOptions& checked(const MultiPerspectiveOptions& o) {
  if (o.hidden <= 0 || o.perspectives <= 0) {
    throw ValueError(fmt::format("{}: hidden {} and perspectives {} must be positive", kOp,
                                 o.hidden, o.perspectives));
  }
  if (o.full || o.max_pooling || o.attentive || o.max_attentive) return o;
  throw ValueError(fmt::format("{}: no strategy", kOp));
}

Tensor begin(bool wanted, const MultiPerspectiveOptions& o) {
  if (!wanted) return Tensor();
  const double bound = 1 / std::sqrt(static_cast<double>(o.hidden));
  return default_generator().uniform({2, o.perspectives, o.hidden}, -bound, bound, o.dtype);
}

// |W_k o x| of x [B, n, H] in each perspective, [B, n, L]; V is W squared.
Tensor norms(const Tensor& x, const Tensor& V) {
  return sqrt(clamp(linear(square(x), V), kEps * kEps));
}

// f(p_i, q_i; W): p [B, n, H], q [B, n, H] or [B, 1, H] -> [B, n, L].
Tensor f(const Tensor& p, const Tensor& q, const Tensor& V) {
  return linear(p * q, V) / (norms(p, V) * norms(q, V));
}

// f of each with each: [B, L, N, M].
Tensor f_of_all(const Tensor& p, const Tensor& q, const Tensor& V) {
  const Tensor products =
      matmul(unsqueeze(p, 1) * unsqueeze(V, 1), unsqueeze(transpose(q, 1, 2), 1));
  const Tensor of_p = unsqueeze(transpose(norms(p, V), 1, 2), -1);
  const Tensor of_q = unsqueeze(transpose(norms(q, V), 1, 2), -2);
  return products / (of_p * of_q);
}

// One sentence in one direction: its states [B, n, H], and those of `real` [B, n] count.
struct Sentence {
  Tensor x, real;
  Tensor last;  // [B, 1, H], where the reading ended

  Sentence(const MaskedSequence& of, Index hidden, bool backwards)
      : x(narrow(of.x, -1, backwards ? hidden : 0, hidden)), real(of.real) {
    const Index n = x.size(1);
    if (n == 0) {
      last = zeros({x.size(0), 1, hidden}, x.dtype());
    } else if (!real.defined()) {
      last = narrow(x, 1, backwards ? 0 : n - 1, 1);
    } else {
      const Tensor places = unsqueeze(arange(n), 0);
      const Tensor ends = backwards ? amin(where(real, places, n), {1}, true)
                                    : amax(where(real, places, -1), {1}, true);
      last = sum(where(unsqueeze(places == ends, -1), x, 0), {1}, true);
    }
  }

  bool empty() const { return x.size(1) == 0; }
  // `scores` [.., n] with -infinity where nothing counts.
  Tensor bounded(const Tensor& scores) const {
    if (!real.defined()) return scores;
    Tensor counts = real;
    while (counts.rank() < scores.rank()) counts = unsqueeze(counts, 1);
    return where(counts, scores, kNone);
  }
};

// max_j of all [B, L, N, M], j along the last axis -> [B, N, L].
Tensor best(const Tensor& all, const Sentence& q) {
  if (q.empty()) return zeros({all.size(0), all.size(2), all.size(1)}, all.dtype());
  Tensor most = transpose(amax(q.bounded(all), {-1}), 1, 2);
  if (!q.real.defined()) return most;
  return where(unsqueeze(any(q.real, {1}, true), -1), most, 0);
}

// a_ij / sum_j a_ij.
Tensor shares(const Tensor& a) {
  const Tensor total = sum(a, {-1}, true);
  return a / where(abs(total) > kEps, total, kEps);
}

// q_j* of each i.
Tensor nearest(const Tensor& a, const Sentence& q) {
  if (q.empty()) return zeros({a.size(0), a.size(1), q.x.size(2)}, a.dtype());
  return take_along(q.x, unsqueeze(argmax(q.bounded(a), -1), -1), 1);
}

}  // namespace

MultiPerspectiveMatching::MultiPerspectiveMatching(const MultiPerspectiveOptions& o)
    : full(parameter("full", begin(checked(o).full, o))),
      max_pooling(parameter("max_pooling", begin(o.max_pooling, o))),
      attentive(parameter("attentive", begin(o.attentive, o))),
      max_attentive(parameter("max_attentive", begin(o.max_attentive, o))),
      hidden_(o.hidden),
      width_(Checked(kOp, 2) * o.perspectives *
             (Index{o.full} + Index{o.max_pooling} + Index{o.attentive} + Index{o.max_attentive})) {
}

MultiPerspectiveOutput MultiPerspectiveMatching::operator()(const Tensor& premise,
                                                            const Tensor& hypothesis,
                                                            const Mask& premise_mask,
                                                            const Mask& hypothesis_mask,
                                                            bool need_weights) const {
  const Scope scope(*this);
  const DType dtype = parameters().front().dtype();
  const auto P = masked_sequence(kOp, "premise", premise, 2 * hidden_, dtype, premise_mask);
  const auto Q =
      masked_sequence(kOp, "hypothesis", hypothesis, 2 * hidden_, dtype, hypothesis_mask);
  check_rows_of_batch(kOp, "hypothesis", hypothesis, premise.size(0));

  struct Way {
    std::vector<Tensor> full, most, mean, nearest, weights;
  } there, back;
  for (const Index direction : {0, 1}) {
    const Sentence p(P, hidden_, direction == 1), q(Q, hidden_, direction == 1);
    const auto squared = [&](const Tensor& W) { return square(select(W, 0, direction)); };
    if (full.defined()) {
      there.full.push_back(f(p.x, q.last, squared(full)));
      back.full.push_back(f(q.x, p.last, squared(full)));
    }
    if (max_pooling.defined()) {
      const Tensor all = f_of_all(p.x, q.x, squared(max_pooling));
      there.most.push_back(best(all, q));
      back.most.push_back(best(transpose(all, -2, -1), p));
    }
    const Tensor a =
        matmul(normalize(p.x, 2, -1, kEps), transpose(normalize(q.x, 2, -1, kEps), 1, 2));
    const auto look = [&](Way& way, const Sentence& own, const Sentence& other,
                          const Tensor& seen) {
      if (attentive.defined() || need_weights) way.weights.push_back(shares(seen));
      if (attentive.defined()) {
        way.mean.push_back(f(own.x, matmul(way.weights.back(), other.x), squared(attentive)));
      }
      if (max_attentive.defined()) {
        way.nearest.push_back(f(own.x, nearest(seen, other), squared(max_attentive)));
      }
    };
    look(there, p, q, a);
    look(back, q, p, transpose(a, 1, 2));
  }

  const auto joined = [](const Way& way, const Tensor& real) {
    std::vector<Tensor> parts;
    for (const auto& some : {way.full, way.most, way.mean, way.nearest}) {
      parts.insert(parts.end(), some.begin(), some.end());
    }
    return zero_elsewhere(concat(parts, -1), real);
  };
  const auto weights = [&](const Way& way, const Tensor& real) {
    if (!need_weights) return Tensor();
    return transpose(zero_elsewhere(stack(way.weights, 2), real), 1, 2);  // [B, 2, n, ..]
  };
  return {.premise = joined(there, P.real),
          .hypothesis = forwarded(joined(back, Q.real)),
          .premise_weights = weights(there, P.real),
          .hypothesis_weights = weights(back, Q.real)};
}

}  // namespace heed::attention
