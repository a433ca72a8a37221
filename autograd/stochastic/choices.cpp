#include "choices.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../check_defined.h"
#include "../grad_mode.h"
#include "../ops/elementwise/clamp.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/index/index.h"
#include "../ops/linalg/matmul.h"
#include "../ops/normalise/softmax.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"

namespace heed {
namespace {

// The leading axes of values must be the last of the choice's.
void check_leading(const char* op, const Shape& choice, const Tensor& values, Index behind) {
  const Index leading = values.rank() - behind;
  bool fits = leading >= 0 && leading <= choice.rank();
  for (Index i = 0; fits && i < leading; ++i) {
    fits = values.size(i) == choice[choice.rank() - leading + i];
  }
  if (fits) return;
  throw ShapeError(fmt::format("{}: values {} do not go with choices {}", op, describe(values),
                               to_string(choice)));
}

// Rows of a [V * L, D] table for places in [0, L) of V examples each, repeated over leading axes.
Tensor flat_rows(const Tensor& index, Index examples, Index places) {
  const Array from = index.array().contiguous();
  Array out = Array::empty(index.shape(), DType::i64);
  const Index* const place = from.data<Index>();
  Index* const row = out.mutable_data<Index>();
  for (Index i = 0; i < out.numel(); ++i) {
    if (place[i] < 0 || place[i] >= places) {
      throw IndexError(fmt::format("Choice::pick: place {} of {}", place[i], places));
    }
    row[i] = i % examples * places + place[i];
  }
  return Tensor(out);
}

}  // namespace

Choice Choice::hard(const Tensor& index, Index places, DType dtype) {
  check_defined("Choice", index, "index");
  if (index.dtype() != DType::i64) {
    throw DTypeError(fmt::format("Choice: index is {}, must be i64", describe(index)));
  }
  Choice out;
  out.index_ = index;
  out.places_ = places;
  out.dtype_ = dtype;
  return out;
}

Choice Choice::soft(const Tensor& weights) {
  check_defined("Choice", weights, "weights");
  check_floating("Choice", weights.dtype());
  if (weights.rank() == 0 || weights.size(-1) == 0) {
    throw ShapeError(fmt::format("Choice: weights {} have no places", describe(weights)));
  }
  Choice out;
  out.weights_ = weights;
  out.places_ = weights.size(-1);
  out.dtype_ = weights.dtype();
  return out;
}

Tensor Choice::index() const { return is_hard() ? index_ : argmax(weights_, -1); }

Tensor Choice::weights() const { return is_hard() ? one_hot(index_, places_, dtype_) : weights_; }

Tensor Choice::pick(const Tensor& values) const {
  check_defined("Choice::pick", values, "values");
  const Shape shape = is_hard() ? index_.shape() : weights_.shape().without(weights_.rank() - 1);
  check_leading("Choice::pick", shape, values, 2);
  const Index places = values.size(-2), width = values.size(-1);
  if (places != places_) {
    throw ShapeError(fmt::format("Choice::pick: values {} have {} places, the choice has {}",
                                 describe(values), places, places_));
  }
  if (!is_hard()) return squeeze(matmul(unsqueeze(weights_, -2), values), -2);
  Index examples = 1;
  for (Index i = 0; i < values.rank() - 2; ++i) examples *= values.size(i);
  const Tensor table = reshape(values, {examples * places, width});
  return embedding(table, flat_rows(index_, examples, places));
}

Tensor Choice::pick_number(const Tensor& values) const {
  check_defined("Choice::pick_number", values, "values");
  return squeeze(pick(unsqueeze(values, -1)), -1);
}

Choice SampledChoices::choose(const Tensor& logits) {
  const auto from = Categorical::from_logits(logits);
  if (rank_ < 0) rank_ = logits.rank();
  const bool has_axis = count_ > 0 && logits.rank() == rank_ + 1 && logits.size(0) == count_;
  if (count_ > 0 && logits.rank() != rank_ && !has_axis) {
    throw ShapeError(fmt::format(
        "SampledChoices: logits {}, after first ones of rank {}: later ones have as many axes, or "
        "the {} samples in front of them",
        describe(logits), rank_, count_));
  }
  const Tensor index = samples_.draw(from, has_axis ? 0 : count_);
  return Choice::hard(index, from.places(), logits.dtype());
}

Choice GreedyChoices::choose(const Tensor& logits) {
  const NoGrad scope;
  const auto from = Categorical::from_logits(logits);
  return Choice::hard(from.mode(), from.places(), logits.dtype());
}

Choice ExpectedChoices::choose(const Tensor& logits) {
  return Choice::soft(Categorical::from_logits(logits).probs());
}

RelaxedChoices::RelaxedChoices(Relaxation kind, double tau, Generator* generator)
    : kind_(kind), tau_(tau), generator_(generator) {
  if (!(tau > 0)) throw ValueError(fmt::format("RelaxedChoices: tau {} must be positive", tau));
}

Choice RelaxedChoices::choose(const Tensor& logits) {
  const auto from = Categorical::from_logits(logits);
  if (kind_ == Relaxation::straight_through) {
    const Tensor p = from.probs();
    const Tensor s = one_hot(from.sample(0, generator_), from.places(), logits.dtype());
    return Choice::soft(s + (p - p.detach()));
  }
  const Tensor noise = gumbel_noise(logits.shape(), logits.dtype(), generator_);
  const Tensor y = softmax((from.log_probs() + noise) / tau_, -1);
  if (kind_ == Relaxation::gumbel) return Choice::soft(y);
  const Tensor s = one_hot(argmax(y, -1), from.places(), logits.dtype());
  return Choice::soft(s + (y - y.detach()));
}

Choice ReplayedChoices::choose(const Tensor& logits) {
  if (next_ < choices_.size()) return choices_[next_++];
  if (rest_) return rest_->choose(logits);
  throw GradError(fmt::format("ReplayedChoices: choice {} is asked for; {} were given", next_,
                              choices_.size()));
}

Tensor gumbel_noise(const Shape& shape, DType dtype, Generator* generator) {
  check_floating("gumbel_noise", dtype);
  const NoGrad scope;
  Generator& from = generator ? *generator : default_generator();
  // In f64 whatever the dtype: the largest of f32's uniform numbers would bound the noise at 17.
  const Tensor u = clamp(Tensor(from.uniform(shape, 0, 1, DType::f64)), 0x1p-54, std::nullopt);
  return to(-log(-log(u)), dtype);
}

}  // namespace heed
