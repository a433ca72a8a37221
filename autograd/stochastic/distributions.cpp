#include "distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../check_defined.h"
#include "../grad_mode.h"
#include "../ops/elementwise/activation.h"
#include "../ops/elementwise/compare.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/index/index.h"
#include "../ops/normalise/softmax.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"
#include "inverse_cdf.h"

namespace heed {
namespace {

Generator& chosen(Generator* generator) { return generator ? *generator : default_generator(); }

// The shape of `count` draws for each place of `base`; 0: one, without an axis.
Shape drawn_shape(const char* op, const Shape& base, Index count) {
  if (count < 0) throw ValueError(fmt::format("{}: {} draws", op, count));
  return count == 0 ? base : base.with(0, count);
}

// Values are shaped as one draw, or as several along a first axis.
void check_values(const char* op, const Tensor& values, const Shape& base) {
  check_defined(op, values, "values");
  const Shape& shape = values.shape();
  if (shape == base || (shape.rank() == base.rank() + 1 && shape.without(0) == base)) return;
  throw ShapeError(fmt::format("{}: values are {}; one draw has the shape {}", op, describe(values),
                               to_string(base)));
}

bool holds(const Tensor& condition) { return all(condition).item() != 0; }

}  // namespace

Categorical Categorical::from_probs(const Tensor& probs) {
  check_defined("Categorical", probs, "probs");
  check_probabilities("Categorical", probs.array());
  return {probs, false};
}

Categorical Categorical::from_logits(const Tensor& logits) {
  check_defined("Categorical", logits, "logits");
  check_logits("Categorical", logits.array());
  return {log_softmax(logits, -1), true};  // once, for all that is asked of it later
}

Tensor Categorical::probs() const { return logits_ ? exp(given_) : given_; }
Tensor Categorical::log_probs() const { return logits_ ? given_ : log(given_); }

Tensor Categorical::sample(Index count, Generator* generator) const {
  const NoGrad scope;
  const Shape base = given_.shape().without(given_.rank() - 1);
  const Shape shape = drawn_shape("Categorical::sample", base, count);
  const Index rows = base.numel();
  const Array p = probs().array().reshape({rows, places()}).contiguous();
  const Array u =
      chosen(generator).uniform({shape.numel() / std::max<Index>(1, rows), rows}, 0, 1, DType::f64);
  return Tensor(inverse_cdf(p, u).reshape(shape));
}

Tensor Categorical::mode() const { return argmax(given_, -1); }

Tensor Categorical::log_prob(const Tensor& places) const {
  const Shape base = given_.shape().without(given_.rank() - 1);
  check_values("Categorical::log_prob", places, base);
  // Draws of one row go beside each other, where gather wants them.
  const Index rows = base.numel(), draws = places.numel() / std::max<Index>(1, rows);
  const Tensor index = transpose(reshape(places, {draws, rows}), 0, 1);
  const Tensor out = gather(reshape(given_, {rows, this->places()}), 1, index);  // [rows, draws]
  const Tensor shaped = reshape(transpose(out, 0, 1), places.shape());
  return logits_ ? shaped : log(shaped);
}

Tensor Categorical::entropy() const {
  if (logits_) {
    const Tensor finite = given_ > -std::numeric_limits<double>::infinity();
    return -sum(exp(given_) * where(finite, given_, 0.0), {-1});
  }
  return -sum(given_ * log(where(given_ > 0.0, given_, 1.0)), {-1});
}

Bernoulli Bernoulli::from_probs(const Tensor& probs) {
  check_defined("Bernoulli", probs, "probs");
  check_floating("Bernoulli", probs.dtype());
  if (!holds(logical_and(probs >= 0.0, probs <= 1.0))) {
    throw ValueError(
        fmt::format("Bernoulli: probabilities {} are not all in [0, 1]", describe(probs)));
  }
  return {probs, false};
}

Bernoulli Bernoulli::from_logits(const Tensor& logits) {
  check_defined("Bernoulli", logits, "logits");
  check_floating("Bernoulli", logits.dtype());
  if (!holds(isfinite(logits))) {
    throw ValueError(fmt::format("Bernoulli: logits {} are not all finite", describe(logits)));
  }
  return {logits, true};
}

Tensor Bernoulli::probs() const { return logits_ ? sigmoid(given_) : given_; }

Tensor Bernoulli::sample(Index count, Generator* generator) const {
  const NoGrad scope;
  const Shape shape = drawn_shape("Bernoulli::sample", given_.shape(), count);
  const Tensor u = chosen(generator).uniform(shape, 0, 1, DType::f64);
  return to(u < to(probs(), DType::f64), given_.dtype());
}

Tensor Bernoulli::mode() const {
  const NoGrad scope;
  return to(given_ >= (logits_ ? 0.0 : 0.5), given_.dtype());
}

Tensor Bernoulli::log_prob(const Tensor& values) const {
  check_values("Bernoulli::log_prob", values, given_.shape());
  if (!holds(logical_or(values == 0.0, values == 1.0))) {
    throw ValueError(
        fmt::format("Bernoulli::log_prob: values {} are not all 0 or 1", describe(values)));
  }
  const Tensor is_one = values == 1.0;
  if (logits_) return log_sigmoid(where(is_one, given_, -given_));
  return log(where(is_one, given_, 1 - given_));
}

Tensor Bernoulli::entropy() const {
  if (logits_) {
    return -(sigmoid(given_) * log_sigmoid(given_) + sigmoid(-given_) * log_sigmoid(-given_));
  }
  const auto term = [](const Tensor& p) { return p * log(where(p > 0.0, p, 1.0)); };
  return -(term(given_) + term(1 - given_));
}

Normal::Normal(const Tensor& mean, const Tensor& deviation) : mean_(mean), deviation_(deviation) {
  check_defined("Normal", mean, "mean", deviation, "deviation");
  check_floating("Normal", mean.dtype());
  if (mean.dtype() != deviation.dtype()) {
    throw DTypeError(
        fmt::format("Normal: mean is {}, deviation is {}", describe(mean), describe(deviation)));
  }
  if (mean.shape() != deviation.shape()) {
    throw ShapeError(fmt::format("Normal: mean is {}, deviation is {}: one shape is needed",
                                 describe(mean), describe(deviation)));
  }
  if (!holds(isfinite(mean))) {
    throw ValueError(fmt::format("Normal: means {} are not all finite", describe(mean)));
  }
  if (!holds(logical_and(deviation > 0.0, isfinite(deviation)))) {
    throw ValueError(
        fmt::format("Normal: deviations {} are not all finite and positive", describe(deviation)));
  }
}

Normal::Normal(const Tensor& mean, double deviation)
    : Normal(mean, (check_defined("Normal", mean, "mean"), check_floating("Normal", mean.dtype()),
                    full(mean.shape(), deviation, mean.dtype()))) {}

Tensor Normal::sample(Index count, Generator* generator) const {
  const NoGrad scope;
  return rsample(count, generator);
}

Tensor Normal::rsample(Index count, Generator* generator) const {
  const Shape shape = drawn_shape("Normal::sample", mean_.shape(), count);
  return mean_ + deviation_ * Tensor(chosen(generator).normal(shape, 0, 1, mean_.dtype()));
}

Tensor Normal::log_prob(const Tensor& values) const {
  check_values("Normal::log_prob", values, mean_.shape());
  static const double kHalfLog2Pi = 0.5 * std::log(2 * std::numbers::pi);
  return -0.5 * square((values - mean_) / deviation_) - log(deviation_) - kHalfLog2Pi;
}

Tensor Normal::entropy() const {
  static const double kHalfLog2PiE = 0.5 * (1 + std::log(2 * std::numbers::pi));
  return log(deviation_) + kHalfLog2PiE;
}

}  // namespace heed
