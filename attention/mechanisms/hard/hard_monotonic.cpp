#include "hard_monotonic.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

#include "../../../autograd/check_defined.h"
#include "../../../autograd/ops/elementwise/activation.h"
#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/cumulative.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/pad.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"
#include "../../detail/checks.h"
#include "../../detail/hard_choice.h"

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

HardMonotonicOptions checked(HardMonotonicOptions options) {
  if (options.score == nullptr) options.score = std::make_shared<ScaledDot>();
  if (options.score->per_feature() || options.score->uses_previous_weights()) {
    throw ValueError(
        "HardMonotonic: takes no score for each feature, and none that looks back at weights");
  }
  return options;
}

}  // namespace

HardMonotonic::HardMonotonic(const HardMonotonicOptions& options)
    : options_(checked(options)), score(shared_child<Score>("score", options_.score)) {}

HardMonotonicMemory HardMonotonic::begin(const Tensor& keys, const Tensor& values,
                                         const HardCall& call) const {
  const Scope scope(*this, Scope::unhooked);
  check_sequence("HardMonotonic", keys, values);
  if (training() && call.choices == nullptr) {
    throw GradError(
        "HardMonotonic: in training somebody must choose and record it: hand in choices, such as "
        "SampledChoices, or call eval()");
  }
  const Memory memory(score, keys, values);
  HardCall own = call;
  own.mask = call.mask & memory.within_reach();
  return HardMonotonicMemory(memory, options_.sample, own);
}

HardMonotonicMemory::HardMonotonicMemory(Memory memory, bool sample, const HardCall& call)
    : memory_(std::move(memory)), sample_(sample), call_(call) {}

HardMonotonicOutput HardMonotonicMemory::step(const Tensor& query) {
  check_defined("HardMonotonic", query, "query");
  const Tensor &keys = memory_.keys(), &values = memory_.values();
  if (query.dtype() != keys.dtype() || query.rank() < 1) {
    throw DTypeError(fmt::format("HardMonotonic: a step's query must be [.., dq] and {}, not {}",
                                 name(keys.dtype()), describe(query)));
  }
  const Tensor row = unsqueeze(query, -2);
  const Shape shape = scores_shape("HardMonotonic", row, keys);  // [.., 1, K]
  const Index places = shape[shape.rank() - 1];
  const Shape one_sample = without_samples(shape, rank_);
  Shape leading(shape.begin(), shape.rank() - 2);
  if (shape.numel() == 0) {
    leading.push_back(values.size(-1));
    return {zeros(leading, values.dtype()),
            Tensor(Array::full(leading.without(leading.rank() - 1), 0, DType::i64))};
  }
  Tensor may = call_.mask.tensor(one_sample, "HardMonotonic");
  const Tensor scores = squeeze(choosable_scores(memory_, row, may), -2);
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
      chosen_values(Choice::hard(unsqueeze(index, -1), places, scores.dtype()), values), -2);
  place_ = any_key.defined() ? where(any_key, choice, place_) : choice;
  return {where(unsqueeze(stopped, -1), context, 0), place_};
}

}  // namespace heed::attention
