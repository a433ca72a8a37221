#include "enumeration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../core/error.h"
#include "../check_defined.h"
#include "../ops/elementwise/compare.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/reduce/reduce.h"
#include "front_axes.h"

namespace heed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Goes through all sequences: each step's combination is a digit of a number, the last the fastest.
class Sequences final : public Choices {
 public:
  explicit Sequences(Index batch_axes) : batch_axes_(batch_axes) {}

  Choice choose(const Tensor& logits) override {
    const auto from = Categorical::from_logits(logits);
    const Shape shape = logits.shape().without(logits.rank() - 1);
    const Index batch = std::min(batch_axes_, shape.rank());
    Index examples = 1, joint = 1;
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      (axis < batch ? examples : joint) *= shape[axis];
    }
    const double combinations =
        std::pow(static_cast<double>(from.places()), static_cast<double>(joint));
    if (step_ == steps_.size()) {
      if (!first_) throw_varies();
      steps_.push_back({from.places(), joint, combinations, 0});
    } else if (steps_[step_].places != from.places() || steps_[step_].joint != joint) {
      throw_varies();
    }
    Array index = Array::empty(shape, DType::i64);
    Index rest = steps_[step_++].combination;
    for (Index j = 0; j < joint; ++j, rest /= from.places()) {
      for (Index i = 0; i < examples; ++i) {
        index.mutable_data<Index>()[i * joint + j] = rest % from.places();
      }
    }
    log_probs.push_back(from.log_prob(Tensor(index)));
    return Choice::hard(Tensor(index), from.places(), logits.dtype());
  }

  double count() const {
    double out = 1;
    for (const Step& step : steps_) out *= step.combinations;
    return out;
  }

  // The next sequence; false when all have been.
  bool advance() {
    if (step_ != steps_.size()) throw_varies();
    first_ = false;
    step_ = 0;
    log_probs.clear();
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      if (static_cast<double>(++step->combination) < step->combinations) return true;
      step->combination = 0;
    }
    return false;
  }

  std::vector<Tensor> log_probs;  // of this sequence, by step

 private:
  struct Step {
    Index places, joint;
    double combinations;
    Index combination;
  };
  [[noreturn]] static void throw_varies() {
    throw ValueError("enumerate: the number of choices or of places depends on what was chosen");
  }

  Index batch_axes_;
  std::vector<Step> steps_;
  std::size_t step_ = 0;
  bool first_ = true;
};

}  // namespace

Tensor enumerate(const ChoiceCost& cost, const EnumerateOptions& options) {
  if (options.batch_axes < 0 || options.limit < 1) {
    throw ValueError(fmt::format("enumerate: batch_axes {} must not be negative, limit {} positive",
                                 options.batch_axes, options.limit));
  }
  Sequences sequences(options.batch_axes);
  Tensor total;
  do {
    const Tensor f = cost(sequences);
    check_defined("enumerate", f, "cost");
    if (sequences.log_probs.empty()) {
      throw GradError("enumerate: the function made no choice");
    }
    if (sequences.count() > static_cast<double>(options.limit)) {
      throw ValueError(
          fmt::format("enumerate: the choices have {:.{}g} sequences, more than the limit of {}",
                      sequences.count(), sequences.count() < 1e15 ? 15 : 3, options.limit));
    }
    Tensor log_prob;
    for (const Tensor& step : sequences.log_probs) {
      const Tensor l = line_up("enumerate", step, f.shape());
      log_prob = log_prob.defined() ? log_prob + l : l;
    }
    // What cannot be costs nothing, whatever it would cost.
    const Tensor term = exp(log_prob) * where(log_prob == -kInfinity, 0, f);
    total = total.defined() ? total + term : term;
  } while (sequences.advance());
  return total;
}

Tensor Enumeration::operator()(const ChoiceCost& cost, Generator*) {
  return mean(enumerate(cost, options_));
}

}  // namespace heed
