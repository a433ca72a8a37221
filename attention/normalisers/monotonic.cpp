#include "monotonic.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/reduce/cumulative.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/pad.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/unfold.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

// [.., Q, K, d] with axis -2 as [.., d, Q, K], and back.
Tensor keys_last(const Tensor& x, bool features) {
  return features ? transpose(transpose(x, -2, -1), -3, -2) : x;
}
Tensor features_last(const Tensor& x, bool features) {
  return features ? transpose(transpose(x, -3, -2), -2, -1) : x;
}

// What both normalisers see: keys last, and the mask of the same shape.
struct Rows {
  Tensor scores, allowed;
  bool features;
};
Rows rows(const char* op, const Tensor& scores, const Tensor& allowed, Index axis) {
  check_defined(op, scores, "scores");
  check_floating(op, scores.dtype());
  axis = normalize_axis(op, axis, scores.rank());
  const bool features = axis == scores.rank() - 2;
  if (scores.rank() < (features ? 3 : 2) || axis < scores.rank() - 2) {
    throw ShapeError(fmt::format("{}: scores must be [.., Q, K] or [.., Q, K, d], not {}, axis {}",
                                 op, describe(scores), axis));
  }
  Rows out{keys_last(scores, features), allowed, features};
  if (allowed.defined()) out.allowed = keys_last(expand(allowed, scores.shape()), features);
  return out;
}

// [1, 0, .., 0]
Tensor beginning(Index keys, DType dtype) { return pad(ones(Shape{1}, dtype), {0, keys - 1}); }

}  // namespace

Monotonic::Monotonic(double noise) : noise_(noise) {
  if (!(noise >= 0)) {
    throw ValueError(fmt::format("monotonic: noise {} must not be negative", noise));
  }
}

Tensor Monotonic::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                             Tensor* state) const {
  const Scope scope(*this);
  const Rows in = rows("monotonic", scores, allowed, axis);
  if (scores.numel() == 0) return forwarded(sigmoid(scores));
  Tensor e = in.allowed.defined() ? where(in.allowed, in.scores, 0) : in.scores;
  if (noise_ > 0 && training()) e = e + randn(e.shape(), e.dtype()) * noise_;
  // NaN is neither above 0 nor not: it stays.
  Tensor stop = hard ? where(e == e, heed::to(e > 0, e.dtype()), e) : sigmoid(e);
  Tensor pass = hard ? 1 - stop : sigmoid(-e);  // 1 - stop, without loss
  Tensor any_key;
  if (in.allowed.defined()) {
    stop = where(in.allowed, stop, 0);
    pass = where(in.allowed, pass, 1);
    any_key = any(in.allowed, {-1}, true);
  }
  Tensor last = state != nullptr && state->defined() ? *state : beginning(e.size(-1), e.dtype());
  std::vector<Tensor> weights;
  for (Index i = 0; i < e.size(-2); ++i) {
    Tensor arrive = linear_scan(pad(select(pass, -2, i), {1, -1}), last, -1);
    // 0 twice: the gradient of either factor may be infinite at a masked place.
    if (in.allowed.defined()) arrive = where(select(in.allowed, -2, i), arrive, 0);
    weights.push_back(select(stop, -2, i) * arrive);
    last = any_key.defined() ? where(select(any_key, -2, i), weights.back(), last) : weights.back();
  }
  if (state != nullptr) *state = last;
  return forwarded(features_last(stack(weights, -2), in.features));
}

Mocha::Mocha(Index chunk, double noise) : Monotonic(noise), chunk_(chunk) {
  if (chunk <= 0) throw ValueError(fmt::format("mocha: chunk {} must be positive", chunk));
}

Tensor Mocha::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                         Tensor* state) const {
  const Scope scope(*this);
  const Rows in = rows("mocha", scores, allowed, axis);
  const Tensor weights = Monotonic::operator()(in.scores, in.allowed, -1, state);
  return forwarded(features_last(spread(weights, in.scores, in.allowed), in.features));
}

Tensor Mocha::spread(const Tensor& weights, const Tensor& chunk_scores,
                     const Tensor& allowed) const {
  check_defined("mocha", weights, "weights", chunk_scores, "chunk_scores");
  if (weights.numel() == 0) return weights;
  const Index before = chunk_ - 1;
  // Window k: the places k - chunk + 1 .. k. Those before the first are not there.
  const auto windows = [&](const Tensor& x) { return unfold(pad(x, {before, 0}), -1, chunk_, 1); };
  const Tensor real = allowed.defined()
                          ? allowed
                          : Tensor(Array::full(Shape{chunk_scores.size(-1)}, 1, DType::boolean));
  const Tensor shares = softmax(windows(chunk_scores), -1, windows(real));
  Tensor spread = shares * unsqueeze(weights, -1);
  if (allowed.defined()) spread = where(windows(allowed), spread, 0);
  return narrow(overlap_add(spread, -1, weights.size(-1) + before, 1), -1, before,
                weights.size(-1));
}

}  // namespace heed::attention
