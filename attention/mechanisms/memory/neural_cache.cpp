#include "neural_cache.h"

#include <fmt/format.h>

#include <cmath>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/masked_sequence.h"

namespace heed::attention {
namespace {

void check(const char* op, const Tensor& states, const Tensor& vocabulary) {
  check_batch(op, "states", states);
  check_floating(op, states.dtype());
  check_batch(op, "vocabulary", vocabulary);
  if (vocabulary.size(0) != states.size(0) || vocabulary.size(1) != states.size(1)) {
    throw ShapeError(fmt::format("{}: vocabulary must be [{}, {}, V], not {}", op, states.size(0),
                                 states.size(1), describe(vocabulary)));
  }
  if (vocabulary.dtype() != states.dtype()) {
    throw DTypeError(fmt::format("{}: dtypes differ: states are {}, vocabulary is {}", op,
                                 describe(states), describe(vocabulary)));
  }
}

// Weights [B, T, K] as probabilities of words: [B, T, V].
Tensor of_words(const Tensor& weights, const Tensor& ids, Index words) {
  return matmul(weights, one_hot(ids, words, weights.dtype()));
}

Mask window(Index places) { return places == 0 ? Mask() : Mask::window(places - 1, 0); }

}  // namespace

Tensor neural_cache(const Tensor& given, const Tensor& vocabulary, const Tensor& next,
                    const NeuralCacheOptions& options, const std::vector<Index>& lengths) {
  constexpr const char* kOp = "neural_cache";
  if (!(options.lambda >= 0 && options.lambda <= 1) || !std::isfinite(options.theta) ||
      options.window < 0) {
    throw ValueError(
        fmt::format("{}: lambda {} must be in [0, 1], theta {} finite, window {} not "
                    "negative",
                    kOp, options.lambda, options.theta, options.window));
  }
  check(kOp, given, vocabulary);
  const auto [h, real] = masked_sequence(kOp, "states", given, lengths);
  Tensor p = zero_elsewhere(vocabulary, real);
  const Index T = h.size(1), V = vocabulary.size(2);
  const Tensor words = real_ids(kOp, "next", next, V, real);
  if (T < 2) return p;
  // Query t looks at the places before it: keys 0 .. T - 2, the last query at the last of them.
  const auto from = [&](const Tensor& x, Index first) { return narrow(x, 1, first, T - 1); };
  const ScaledDot score(options.theta);
  Mask mask = Mask::causal() & window(options.window);
  if (real.defined()) mask = mask & Mask::key_padding(from(real, 0));
  const Tensor a =
      attend(score, from(h, 1), from(h, 0), from(h, 0), {.mask = mask, .need_weights = true})
          .weights;
  const Tensor cached = of_words(a, from(words, 0), V);
  const Tensor mixed = from(p, 1) * (1 - options.lambda) + cached * options.lambda;
  return zero_elsewhere(concat({narrow(p, 1, 0, 1), mixed}, 1), real);
}

PointerSentinel::PointerSentinel(Index width, Index places, DType dtype)
    : window_(places),
      query(child<nn::Linear>("query", width, width, true, dtype)),
      sentinel(parameter("sentinel", zeros({width}, dtype))) {
  if (places < 0) {
    throw ValueError(fmt::format("pointer_sentinel: window {} must not be negative", places));
  }
  nn::normal_(sentinel, 0, 1 / std::sqrt(static_cast<double>(width)));
}

PointerSentinelOutput PointerSentinel::operator()(const Tensor& given, const Tensor& vocabulary,
                                                  const Tensor& given_ids,
                                                  const std::vector<Index>& lengths,
                                                  bool need_weights) const {
  const Scope scope(*this);
  constexpr const char* kOp = "pointer_sentinel";
  check(kOp, given, vocabulary);
  check_rows(kOp, "states", given, sentinel.size(0), sentinel.dtype());
  const auto [h, real] = masked_sequence(kOp, "states", given, lengths);
  const Tensor p = zero_elsewhere(vocabulary, real);
  const Index B = h.size(0), T = h.size(1), V = vocabulary.size(2), E = sentinel.size(0);
  const Tensor ids = real_ids(kOp, "ids", given_ids, V, real);
  // The sentinel stands behind the words, where every query sees it.
  const Tensor keys = concat({h, expand(sentinel, {B, 1, E})}, 1);
  Mask mask = Mask::causal() & window(window_);
  if (real.defined()) mask = mask & Mask::key_padding(real);
  const Tensor words = mask.tensor(Shape{B, T, T}, kOp);
  const Tensor all = expand(words, {B, T, T});
  const Tensor own(Array::full({B, T, 1}, 1, DType::boolean));
  const Dot score;
  const Tensor q = tanh(query(h));
  const Tensor weights =
      attend(score, q, keys, keys, {.mask = Mask(concat({all, own}, -1)), .need_weights = true})
          .weights;
  PointerSentinelOutput out;
  const Tensor a = narrow(weights, -1, 0, T), g = narrow(weights, -1, T, 1);
  out.gate = squeeze(g, -1);
  out.distribution = forwarded(zero_elsewhere(g * p + of_words(a, ids, V), real));
  if (need_weights) out.weights = a;
  return out;
}

}  // namespace heed::attention
