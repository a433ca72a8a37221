#include "fast_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/clamp.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/linalg/solve.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../autograd/ops/shape/triangle.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "decayed_scores.h"

namespace heed::attention {
namespace {

constexpr const char* kName = "fast_weights";

[[noreturn]] void throw_shape(const char* what, const char* rule, const Tensor& x,
                              const Tensor& q) {
  throw ShapeError(fmt::format("{}: {} must be {}, not {} beside q {}", kName, what, rule,
                               describe(x), describe(q)));
}

// x [.., rows, width] with q's leading axes as one: [N, rows, width].
Tensor flat(const char* what, const char* rule, const Tensor& x, const Tensor& q, Index rows,
            Index width) {
  if (!x.defined()) return x;
  if (x.dtype() != q.dtype()) {
    throw DTypeError(fmt::format("{}: {} is {}, q is {}", kName, what, describe(x), describe(q)));
  }
  Shape shape(q.shape().begin(), q.rank() - 2);
  const Index N = shape.numel();
  shape.push_back(rows);
  shape.push_back(width);
  const Index missing = shape.rank() - x.rank();
  bool fits = missing >= 0 && x.rank() >= 2 && x.size(-1) == width;
  for (Index axis = 0; fits && axis + 1 < x.rank(); ++axis) {
    fits = x.size(axis) == 1 || x.size(axis) == shape[axis + missing];
  }
  if (!fits) throw_shape(what, rule, x, q);
  return reshape(expand(x, shape), Shape{N, rows, width});
}

// The steps with their leading axes as one, checked, and the state.
struct Flat {
  FastWeights steps;
  Tensor state;
};

Flat flat(const FastWeights& given, const Tensor& state) {
  check_defined(kName, given.q, "q", given.k, "k", given.v, "v");
  const Tensor& q = given.q;
  if (q.rank() < 2)
    throw ShapeError(fmt::format("{}: q must be [.., T, K], not {}", kName, describe(q)));
  check_floating(kName, q.dtype());
  const Index T = q.size(-2), K = q.size(-1);
  const Index V = given.v.rank() > 0 ? given.v.size(-1) : 0;
  const Index decays =
      given.log_decay.defined() && given.log_decay.rank() > 0 && given.log_decay.size(-1) == 1 ? 1
                                                                                               : K;
  Flat out;
  out.steps.q = flat("q", "[.., T, K]", q, q, T, K);
  out.steps.k = flat("k", "[.., T, K]", given.k, q, T, K);
  out.steps.v = flat("v", "[.., T, V]", given.v, q, T, V);
  out.steps.log_decay =
      flat("log_decay", "[.., T, 1] or [.., T, K]", given.log_decay, q, T, decays);
  out.steps.beta = flat("beta", "[.., T, 1]", given.beta, q, T, 1);
  out.steps.bonus = flat("bonus", "[.., 1, K]", given.bonus, q, 1, K);
  out.state = flat("state", "[.., K, V]", state, q, K, V);
  if (!state.defined()) out.state = zeros(Shape{out.steps.q.size(0), K, V}, q.dtype());
  return out;
}

// (q o u) . k, [N, T, 1]
Tensor bonus_scores(const FastWeights& x) { return sum(x.q * x.bonus * x.k, {-1}, true); }

FastWeightsOutput step_by_step(const FastWeights& x, Tensor S) {
  const auto steps = [](const Tensor& all) {
    return all.defined() ? split(all, 1, 1) : std::vector<Tensor>();
  };
  const auto q = steps(x.q), k = steps(x.k), v = steps(x.v);
  const auto log_decay = steps(x.log_decay), beta = steps(x.beta);
  std::vector<Tensor> y;
  for (std::size_t t = 0; t < q.size(); ++t) {
    if (x.bonus.defined()) y.push_back(matmul(q[t], S));
    if (x.log_decay.defined()) S = transpose(exp(log_decay[t]), 1, 2) * S;
    Tensor u = v[t];  // what is written at k
    if (x.beta.defined()) u = beta[t] * (u - matmul(k[t], S));
    S = S + transpose(k[t], 1, 2) * u;
    if (!x.bonus.defined()) y.push_back(matmul(q[t], S));
  }
  Tensor out = concat(y, 1);
  if (x.bonus.defined()) out = out + bonus_scores(x) * x.v;
  return {out, S};
}

// [N, T, width] -> [N, n, C, width], zeros behind the last step.
Tensor in_chunks(const Tensor& x, Index n, Index C) {
  if (!x.defined()) return x;
  const Index more = n * C - x.size(1);
  return reshape(more > 0 ? pad(x, {0, 0, 0, more}) : x, Shape{x.size(0), n, C, x.size(2)});
}

// What is in the state before each chunk, [N, n, K, V], and behind the last: S <- carry S + added.
struct States {
  Tensor before, last;
};

// `carry` [N, n, K or 1, 1], undefined for 1: each number of the state by itself.
States scanned(const Tensor& carry, const Tensor& added, const Tensor& first) {
  const Index n = added.size(1);
  if (n == 1) {
    const Tensor one = squeeze(added, 1);
    return {unsqueeze(first, 1), (carry.defined() ? squeeze(carry, 1) * first : first) + one};
  }
  const Tensor b = concat({unsqueeze(first, 1), added}, 1);
  Tensor all;
  if (carry.defined()) {
    const Shape start{carry.size(0), 1, carry.size(2), 1};
    all = linear_scan(concat({zeros(start, b.dtype()), carry}, 1), b, 1);
  } else {
    all = cumsum(b, 1);
  }
  const auto parts = split(all, {n, 1}, 1);
  return {parts[0], squeeze(parts[1], 1)};
}

// `carry` [N, n, K, K].
States multiplied(const Tensor& carry, const Tensor& added, const Tensor& first) {
  const auto P = split(carry, 1, 1), B = split(added, 1, 1);
  std::vector<Tensor> before;
  Tensor S = unsqueeze(first, 1);
  for (std::size_t c = 0; c < P.size(); ++c) {
    before.push_back(S);
    S = matmul(P[c], S) + B[c];
  }
  return {concat(before, 1), squeeze(S, 1)};
}

// exp of it is 0, and in a sum it leaves the others their digits.
double log_of_none(DType dtype) { return dtype == DType::f32 ? -110 : -750; }

FastWeightsOutput by_chunks(const FastWeights& x, const Tensor& first, Index C, ScoresOf scores) {
  const Index N = x.q.size(0), T = x.q.size(1), V = x.v.size(2), n = (T + C - 1) / C;
  const Tensor q = in_chunks(x.q, n, C), k = in_chunks(x.k, n, C), v = in_chunks(x.v, n, C);
  const Tensor beta = in_chunks(x.beta, n, C);
  const bool decays = x.log_decay.defined();
  const Sight sight = x.bonus.defined() ? Sight::before : Sight::with_itself;
  // From the chunk's begin to a step, as queries and as keys see it, and from a step to its end.
  Tensor g, seen, q_in = q, k_in = k, k_out = k, carry;
  if (decays) {
    const Tensor each = clamp(x.log_decay, log_of_none(q.dtype()));
    g = cumsum(in_chunks(each, n, C), 2);  // [N, n, C, 1 or K]
    seen = x.bonus.defined() ? pad(narrow(g, 2, 0, C - 1), {0, 0, 1, 0}) : g;
    const Tensor end = narrow(g, 2, C - 1, 1);
    q_in = q * exp(seen);
    k_out = k * exp(end - g);
    carry = transpose(exp(end), 2, 3);  // [N, n, 1 or K, 1]
  }
  Tensor u = v;
  States S;
  const Tensor k_out_turned = transpose(k_out, 2, 3);
  if (!beta.defined()) {
    S = scanned(carry, matmul(k_out_turned, v), first);
  } else {
    // (I + tril(beta A, -1)) u = beta (v - k_in S), for what is known of u before S is.
    if (decays) k_in = k * exp(g);
    const Tensor system = beta * scores(k, k, g, g, Sight::before);
    const Tensor solved = solve_triangular(system, beta * concat({v, k_in}, 3), {.unit = true});
    const auto known = split(solved, {V, k.size(3)}, 3);
    const Tensor kept = decays ? carry * eye(k.size(3), k.dtype()) : eye(k.size(3), k.dtype());
    S = multiplied(kept - matmul(k_out_turned, known[1]), matmul(k_out_turned, known[0]), first);
    u = known[0] - matmul(known[1], S.before);
  }
  const Tensor y = matmul(scores(q, k, seen, g, sight), u) + matmul(q_in, S.before);
  Tensor out = narrow(reshape(y, Shape{N, n * C, V}), 1, 0, T);
  if (x.bonus.defined()) out = out + bonus_scores(x) * x.v;
  return {out, S.last};
}

}  // namespace

FastWeightsOutput fast_weights(const FastWeights& given, LinearForm form, const Tensor& state,
                               Index chunk) {
  const auto [x, first] = flat(given, state);
  if (chunk <= 0) throw ValueError(fmt::format("{}: chunk {} must be positive", kName, chunk));
  const Index T = x.q.size(1), K = x.q.size(2), V = x.v.size(2);
  FastWeightsOutput out;
  if (T == 0) {
    out = {zeros(Shape{x.q.size(0), 0, V}, x.q.dtype()), first};
  } else if (form == LinearForm::recurrent) {
    out = step_by_step(x, first);
  } else if (form == LinearForm::quadratic || traced()) {
    // As one chunk it is a graph of products alone, whatever the length.
    out = by_chunks(x, first, T, scores_by_definition);
  } else {
    Index C = std::min(chunk, T);
    // Halves of halves, down to single steps.
    const bool halves = x.log_decay.defined() && x.log_decay.size(2) > 1;
    if (halves) C = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(C)));
    out = by_chunks(x, first, C, scores_by_halves);
  }
  Shape shape(given.q.shape().begin(), given.q.rank() - 2);
  Shape last = shape;
  shape.push_back(T);
  shape.push_back(V);
  last.push_back(K);
  last.push_back(V);
  return {reshape(out.y, shape), reshape(out.state, last)};
}

Tensor fast_weights_matrix(const FastWeights& steps) {
  FastWeights each = steps;
  check_defined(kName, steps.q, "q");
  if (steps.q.rank() >= 2) each.v = eye(steps.q.size(-2), steps.q.dtype());
  return fast_weights(each, LinearForm::quadratic).y;
}

}  // namespace heed::attention
