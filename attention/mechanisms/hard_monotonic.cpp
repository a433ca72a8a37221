#include "hard_monotonic.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/activation.h"
#include "../../autograd/ops/cumulative.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/pad.h"
#include "../../autograd/ops/reduce.h"
#include "../../autograd/ops/shape.h"
#include "../../core/error.h"
#include "../finite.h"
#include "hard_choice.h"

namespace heed::attention {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// i64 [0, 1, .., count - 1]
Tensor numbers(Index count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(i);
  return Tensor(Array::from(out));
}

// bool [.., K] and one more for the outcome past the end.
Tensor with_end(const Tensor& stops) {
  Shape end = stops.shape();
  end[end.rank() - 1] = 1;
  return concat({stops, Tensor(Array::full(end, 1, DType::boolean))}, -1);
}

}  // namespace

HardMonotonic::HardMonotonic(const HardMonotonicOptions& options) : options_(options) {
  if (options.score != nullptr && (options.score->per_feature() || options.score->looks_back())) {
    throw ValueError(
        "HardMonotonic: takes no score for each feature, and none that looks back at weights");
  }
}

HardMonotonicMemory HardMonotonic::begin(const Tensor& keys, const Tensor& values,
                                         const HardCall& call) const {
  check_sequence("HardMonotonic", keys, values);
  if (training() && call.choices == nullptr) {
    throw GradError(
        "HardMonotonic: in training somebody must choose and record it: hand in choices, such as "
        "SampledChoices, or call eval()");
  }
  return HardMonotonicMemory(keys, values, options_, call);
}

HardMonotonicMemory::HardMonotonicMemory(const Tensor& keys, const Tensor& values,
                                         const HardMonotonicOptions& options, const HardCall& call)
    : score_(options.score), sample_(options.sample), call_(call), keys_(keys), values_(values) {
  static const ScaledDot scaled_dot;
  if (score_ == nullptr) score_ = &scaled_dot;
  if (!call.mask.all()) {
    const FinitePart k = finite_part(keys);
    keys_ = k.x;
    bad_keys_ = k.bad;
  }
  keys_ = score_->prepare(keys_);
}

HardMonotonicStep HardMonotonicMemory::step(const Tensor& query) {
  check_defined("HardMonotonic", query, "query");
  if (query.dtype() != keys_.dtype() || query.rank() < 1) {
    throw DTypeError(fmt::format("HardMonotonic: a step's query must be [.., dq] and {}, not {}",
                                 name(keys_.dtype()), describe(query)));
  }
  const Tensor row = unsqueeze(query, -2);
  const Shape shape = scores_shape("HardMonotonic", row, keys_);  // [.., 1, K]
  const Index places = shape[shape.rank() - 1];
  Shape leading(shape.begin(), shape.rank() - 2);
  if (shape.numel() == 0) {
    leading.push_back(values_.size(-1));
    return {zeros(leading, values_.dtype()),
            Tensor(Array::full(leading.without(leading.rank() - 1), 0, DType::i64))};
  }
  Tensor may = call_.mask.tensor(shape, "HardMonotonic");
  const Tensor scores =
      squeeze(choosable_scores(*score_, row, keys_, bad_keys_, may, Tensor()), -2);
  if (!place_.defined()) place_ = Tensor(Array::zeros(leading, DType::i64));
  Tensor stops = numbers(places) >= unsqueeze(place_, -1);  // bool [.., K]: where it may stop
  Tensor any_key;                                           // bool [..]
  if (may.defined()) {
    may = squeeze(expand(may, shape), -2);
    any_key = any(may, {-1});
    stops = logical_and(stops, may);
  }
  stops = broadcast_to(stops, broadcast_shapes("HardMonotonic", stops.shape(), scores.shape()));
  const Tensor outcomes = with_end(stops);
  Tensor choice;
  if (call_.choices == nullptr && !sample_) {
    if (any(logical_and(stops, isnan(scores))).array().item() != 0) {
      throw ValueError("HardMonotonic: a score is NaN");
    }
    // The first that is likely, of the outcomes the lowest number.
    const Tensor order = -to(numbers(places + 1), scores.dtype());
    const Tensor likely = with_end(logical_and(stops, scores > 0));
    choice = argmax(where(likely, order, kNever), -1);
  } else {
    const Tensor e = where(stops, scores, 0);
    const Tensor pass = where(stops, log_sigmoid(-e), 0);
    const Tensor log_p = pad(log_sigmoid(e), {0, 1}) + cumsum(pad(pass, {1, 0}), -1);
    const Tensor logits = where(outcomes, log_p, kNever);
    SampledChoices own(0, {.generator = call_.generator});
    Choices& who = call_.choices != nullptr ? *call_.choices : own;
    const Choice chosen = who.choose(logits);
    if (!chosen.is_hard()) {
      throw ValueError(
          "HardMonotonic: choices must be places, not weights; their mean is the Monotonic "
          "normaliser's");
    }
    choice = chosen.index();
  }
  const Tensor stopped = choice < static_cast<double>(places);
  const Tensor index = where(stopped, choice, Tensor(Array::full(Shape{}, 0, DType::i64)));
  const Tensor context = squeeze(
      chosen_values(Choice::hard(unsqueeze(index, -1), places, scores.dtype()), values_), -2);
  place_ = any_key.defined() ? where(any_key, choice, place_) : choice;
  return {where(unsqueeze(stopped, -1), context, 0), place_};
}

}  // namespace heed::attention
