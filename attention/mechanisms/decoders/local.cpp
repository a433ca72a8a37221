#include "local.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../autograd/factories.h"
#include "../../../autograd/ops/elementwise/compare.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/elementwise/rounding.h"
#include "../../../autograd/ops/index/index.h"
#include "../../../autograd/ops/linalg/matmul.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../../nn/init.h"
#include "../../detail/checks.h"
#include "../../detail/decoder_checks.h"
#include "../../detail/masked_sequence.h"
#include "../../detail/named.h"
#include "../../detail/nan_guard.h"

namespace heed::attention {
namespace {

LocalOptions checked(LocalOptions options) {
  const bool predictive = options.kind == LocalKind::predictive;
  options.gaussian = options.gaussian || predictive;
  if (options.half_width < 0 || (options.gaussian && options.half_width == 0)) {
    throw ValueError(
        fmt::format("local: half_width {} must {}", options.half_width,
                    options.gaussian ? "be positive: sigma is half of it" : "not be negative"));
  }
  if (predictive && (options.query_width <= 0 || options.hidden < 0)) {
    throw ValueError(fmt::format(
        "local: predictive places need a positive query_width, not {}, and a hidden of at least 0, "
        "not {}",
        options.query_width, options.hidden));
  }
  if (options.score != nullptr && options.score->uses_previous_weights()) {
    throw ValueError("local: a score that looks back has no last weights in a window that moves");
  }
  if (options.hidden == 0) options.hidden = options.query_width;
  if (options.score == nullptr) options.score = std::make_shared<ScaledDot>();
  return options;
}

// The places of each query's window, as many for all: where an end of the sentence cuts it, other
// places fill it up, which are masked.
struct Windows {
  Tensor places;  // i64 [B, Q, W]
  Tensor inside;  // bool [B, Q, 1, W]
};

Windows followed_windows(const Tensor& middles, const std::vector<Index>& lengths, Index K, Index D,
                         bool hold);

// `hold`: middles that stand behind the last key are taken to be there.
Windows windows(const Tensor& middles, const std::vector<Index>& lengths, Index K, Index D,
                bool hold) {
  if (traced()) return followed_windows(middles, lengths, K, D, hold);
  const Index B = middles.size(0), Q = middles.size(1);
  const Index W = D < K ? std::min(2 * D + 1, K) : K;
  const std::vector<double> p = middles.array().to(DType::f64).to_vector<double>();
  Array places = Array::empty(Shape{B, Q, W}, DType::i64);
  Array inside = Array::empty(Shape{B, Q, 1, W}, DType::boolean);
  Index n = 0;
  for (Index row = 0; row < B * Q; ++row) {
    const Index b = row / Q;
    const Index length = lengths.empty() ? K : lengths[static_cast<std::size_t>(b)];
    double middle = std::floor(p[static_cast<std::size_t>(row)]);
    if (std::isnan(middle)) middle = 0;  // of parameters that are: the Gaussian makes it known
    if (hold) middle = std::min(middle, static_cast<double>(length - 1));
    const auto first = static_cast<Index>(
        std::clamp(middle - static_cast<double>(D), 0.0, static_cast<double>(K - W)));
    for (Index place = first; place < first + W; ++place, ++n) {
      places.mutable_data<Index>()[n] = place;
      inside.mutable_data<bool>()[n] =
          place < length && std::abs(static_cast<double>(place) - middle) <= static_cast<double>(D);
    }
  }
  return {Tensor(places), Tensor(inside)};
}

// The same by operators that can be followed; middles are numbers.
Windows followed_windows(const Tensor& middles, const std::vector<Index>& lengths, Index K, Index D,
                         bool hold) {
  const Index B = middles.size(0);
  const Index W = D < K ? std::min(2 * D + 1, K) : K;
  const Tensor length =
      lengths.empty() ? full(Shape{1, 1}, K) : reshape(Tensor(Array::from(lengths)), {B, 1});
  Tensor middle = to(floor(middles), DType::i64);  // [B, Q]
  if (hold) middle = minimum(middle, length - 1);
  const Tensor first = minimum(maximum(middle - D, tensor(Index{0})), tensor(K) - W);
  const Tensor places = unsqueeze(first, -1) + arange(W);
  const Tensor near = abs(places - unsqueeze(middle, -1)) <= static_cast<double>(D);
  return {places, unsqueeze(logical_and(places < unsqueeze(length, -1), near), 2)};
}

// Weights of windows [B, Q, 1, W, ..] where their keys stand, [B, Q, K, ..].
Tensor spread(const Tensor& weights, const Windows& at, Index K) {
  const Tensor by_place = squeeze(weights, 2);
  Tensor index = at.places;
  if (by_place.rank() == 4) index = expand(unsqueeze(index, -1), by_place.shape());
  Shape shape = by_place.shape();
  shape[2] = K;
  return scatter_add(zeros(shape, by_place.dtype()), 2, index, by_place);
}

}  // namespace

Local::Local(const LocalOptions& options)
    : options_(checked(options)),
      position_projection(options_.kind == LocalKind::predictive
                              ? &child<nn::Linear>("position_projection", options_.query_width,
                                                   options_.hidden, false, options_.dtype)
                              : nullptr),
      position_vector(
          parameter("position_vector", options_.kind == LocalKind::predictive
                                           ? zeros(Shape{options_.hidden}, options_.dtype)
                                           : Tensor())),
      score(shared_child<Score>("score", options_.score)) {
  if (!position_vector.defined()) return;
  const double bound = 1 / std::sqrt(static_cast<double>(options_.hidden));
  nn::uniform_(position_vector, -bound, bound);
}

Attended Local::operator()(const Tensor& query, const Tensor& keys, const Tensor& values,
                           const std::vector<Index>& lengths, const LocalCall& call) const {
  const Scope scope(*this);
  return attend_to(query, prepare(keys, values, lengths), call);
}

Memory Local::prepare(const Tensor& keys, const Tensor& values,
                      const std::vector<Index>& lengths) const {
  check_batch("local", "keys", keys);
  check_batch("local", "values", values);
  if (keys.size(0) != values.size(0) || keys.size(1) != values.size(1)) {
    throw ShapeError(fmt::format("local: keys {} and values {} differ in rows or places",
                                 describe(keys), describe(values)));
  }
  const Mask mask = first_places("local", "keys", keys, lengths);
  return named("local", [&] { return Memory(score, keys, values, mask); });
}

// p_t, [B, Q].
Tensor Local::middles(const Tensor& query, const Memory& memory, const LocalCall& call) const {
  const Index B = query.size(0), Q = query.size(1), K = memory.keys().size(1);
  const DType dtype = query.dtype();
  if (options_.kind == LocalKind::monotonic) {
    if (!call.positions.defined()) {
      std::vector<double> steps;
      for (Index t = call.first; t < call.first + Q; ++t) steps.push_back(static_cast<double>(t));
      return expand(tensor(steps, Shape{1, Q}, dtype), Shape{B, Q});
    }
    if (call.positions.shape() != Shape{B, Q} || call.positions.dtype() != dtype) {
      throw ShapeError(fmt::format("local: positions must be {}[{}, {}], not {}", name(dtype), B, Q,
                                   describe(call.positions)));
    }
    for (const double p : call.positions.array().to(DType::f64).to_vector<double>()) {
      if (!std::isfinite(p)) throw ValueError(fmt::format("local: position {} is not finite", p));
    }
    return call.positions;
  }
  if (call.positions.defined()) {
    throw ValueError("local: positions were given, but this one predicts its own");
  }
  check_rows("local", "query", query, options_.query_width, position_vector.dtype());
  const std::vector<Index>& known = memory.mask().key_lengths();
  std::vector<double> lengths(known.begin(), known.end());
  if (lengths.empty()) lengths.assign(static_cast<std::size_t>(B), static_cast<double>(K));
  return tensor(lengths, Shape{B, 1}, dtype) *
         sigmoid(matmul(tanh((*position_projection)(query)), position_vector));
}

Attended Local::attend_to(const Tensor& query, const Memory& memory, const LocalCall& call) const {
  const Scope scope(*this);
  check_batch("local", "query", query);
  const Index B = memory.keys().size(0), K = memory.keys().size(1);
  if (query.size(0) != B) {
    throw ShapeError(fmt::format("local: {} rows of queries and {} of keys", query.size(0), B));
  }
  if (query.dtype() != memory.values().dtype()) {
    throw DTypeError(fmt::format("local: query and values differ in dtype: {} and {}",
                                 describe(query), describe(memory.values())));
  }
  const Terms& terms = call.terms;
  check_window_terms("local", terms);
  const Tensor p = middles(finite_part(query).x, memory, call);
  if (K == 0) {
    Attended none = memory.attend(query, terms);
    return {forwarded(none.context), none.weights};
  }
  // Saturated, the sigmoid is 1: the sentence's last place is then the middle.
  const Windows at = windows(p.detach(), memory.mask().key_lengths(), K, options_.half_width,
                             options_.kind == LocalKind::predictive);
  Memory near = memory.places(at.places, Mask(at.inside));  // keys [B, Q, W, dk]
  Tensor gaussian;                                          // [B, Q, W]
  if (options_.gaussian) {
    const double sigma = static_cast<double>(options_.half_width) / 2;
    gaussian =
        exp(square(heed::to(at.places, p.dtype()) - unsqueeze(p, -1)) * (-0.5 / (sigma * sigma)));
    // sum_s align_s (gaussian_s v_s): the weights need not be made.
    near = near.weighted(unsqueeze(gaussian, -1));
  }
  Attended out = named("local", [&] { return near.attend(unsqueeze(query, 2), terms); });
  out.context = forwarded(squeeze(out.context, 2));
  if (!out.weights.defined()) return out;
  if (gaussian.defined()) {
    const Tensor by_query = unsqueeze(gaussian, 2);
    out.weights = out.weights * (score.per_feature() ? unsqueeze(by_query, -1) : by_query);
  }
  out.weights = spread(out.weights, at, K);
  return out;
}

}  // namespace heed::attention
