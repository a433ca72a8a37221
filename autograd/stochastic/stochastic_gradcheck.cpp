#include "stochastic_gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../core/error.h"
#include "../../core/generator.h"
#include "../backward.h"
#include "../check_defined.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"

namespace heed {
namespace {

// z with P(N > z) = tail, by bisection: erfc is exact far out.
double upper_quantile(double tail) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > tail ? low : high) = middle;
  }
  return low;
}

void check_f64(const char* what, const Tensor& x) {
  check_defined("stochastic_gradcheck", x, what);
  if (x.dtype() != DType::f64) {
    throw DTypeError(fmt::format("stochastic_gradcheck: {} is {}, must be f64", what, describe(x)));
  }
}

void check_options(const StochasticGradcheckOptions& o) {
  if (!(o.family_error > 0 && o.family_error < 1 && o.power > 0 && o.power < 1 &&
        o.resolution >= 0 && o.first_look > 1 && o.max_samples >= o.first_look && o.batch > 0)) {
    throw ValueError(
        "stochastic_gradcheck: family_error and power lie in (0, 1), 1 < first_look <= max_samples "
        "and a batch is positive");
  }
}

// Sums of differences from the reference, which keeps the squares from cancelling.
class Test {
 public:
  Test(const Tensor& reference, const StochasticGradcheckOptions& options)
      : reference_(reference.array().contiguous()),
        options_(options),
        sum_(static_cast<std::size_t>(reference.numel())),
        squares_(sum_.size()) {
    double looks = 1;
    for (Index n = options.first_look; n < options.max_samples; n *= 2) ++looks;
    const double tests = looks * static_cast<double>(std::max<std::size_t>(1, sum_.size()));
    report_.critical = upper_quantile(options.family_error / tests / 2);
    report_.reference = reference_.to_vector<double>();
    for (const double r : report_.reference) report_.norm += r * r;
    report_.norm = std::sqrt(report_.norm);
  }

  void add(const Tensor& estimates) {
    check_f64("an estimate", estimates);
    const Shape& shape = estimates.shape();
    if (shape.rank() != reference_.rank() + 1 || shape.without(0) != reference_.shape()) {
      throw ShapeError(fmt::format("stochastic_gradcheck: estimates are {}, must be [n, ..] of {}",
                                   describe(estimates), to_string(reference_.shape())));
    }
    const Array dense = estimates.array().contiguous();
    const double* const x = dense.data<double>();
    const std::size_t width = sum_.size();
    for (Index row = 0; row < shape[0]; ++row) {
      for (std::size_t i = 0; i < width; ++i) {
        const double d = x[static_cast<std::size_t>(row) * width + i] - report_.reference[i];
        sum_[i] += d;
        squares_[i] += d * d;
      }
    }
    if (shape[0] == 0) throw ShapeError("stochastic_gradcheck: no estimates came");
    report_.samples += shape[0];
  }

  bool due() const { return report_.samples >= next_look(); }
  bool last() const { return report_.samples >= options_.max_samples; }

  // True when it is decided.
  bool look() {
    while (due() && !last()) look_ *= 2;
    const auto n = static_cast<double>(report_.samples);
    StochasticGradcheckReport& r = report_;
    r.bias.resize(sum_.size());
    r.standard_error.resize(sum_.size());
    r.variance = r.z = 0;
    double errors = 0;
    for (std::size_t i = 0; i < sum_.size(); ++i) {
      r.bias[i] = sum_[i] / n;
      const double variance = std::max(0.0, squares_[i] / n - r.bias[i] * r.bias[i]) * n / (n - 1);
      r.variance += variance;
      errors += variance / n;
      r.standard_error[i] = std::sqrt(variance / n);
      // Where nothing varies, rounding remains.
      const double z = r.bias[i] / std::max(r.standard_error[i], 1e-12 * (1 + r.norm));
      if (!std::isnan(r.z) && !(std::fabs(z) <= std::fabs(r.z))) {  // NaN is the worst, and stays
        r.z = z;
        r.worst = static_cast<Index>(i);
      }
    }
    r.ok = std::fabs(r.z) <= r.critical;
    const double seen = (r.critical + upper_quantile(1 - options_.power)) * std::sqrt(errors);
    r.detectable = seen / r.norm;
    return !r.ok || r.detectable <= options_.resolution || last();
  }

  StochasticGradcheckReport finish() {
    if (report_.norm == 0) {
      report_.ok = false;
      report_.problem = "the reference is zero: there is no gradient to compare a bias with";
    }
    return report_;
  }

 private:
  Index next_look() const { return std::min(options_.first_look * look_, options_.max_samples); }

  Array reference_;
  StochasticGradcheckOptions options_;
  std::vector<double> sum_, squares_;
  Index look_ = 1;
  StochasticGradcheckReport report_;
};

}  // namespace

StochasticGradcheckReport stochastic_gradcheck(const std::function<Tensor()>& draw,
                                               const Tensor& reference,
                                               const StochasticGradcheckOptions& options) {
  if (!draw) throw ValueError("stochastic_gradcheck: draw is empty");
  check_f64("the reference", reference);
  check_options(options);
  Test test(reference, options);
  do {
    test.add(draw());
  } while (!test.due() || !test.look());
  return test.finish();
}

StochasticGradcheckReport stochastic_gradcheck(Estimator& estimator, const RowCost& cost,
                                               const Tensor& theta,
                                               const StochasticGradcheckOptions& options,
                                               const Tensor& reference) {
  if (!cost) throw ValueError("stochastic_gradcheck: cost is empty");
  check_f64("theta", theta);
  check_options(options);
  const auto rows = [&](Index count) {
    return clone(broadcast_to(theta.detach(), theta.shape().with(0, count))).set_requires_grad();
  };
  Tensor truth = reference;
  if (!truth.defined()) {
    const Tensor row = rows(1);
    const Tensor expected = enumerate([&](Choices& choices) { return cost(choices, row); });
    truth = reshape(grad({sum(expected)}, {row})[0], theta.shape());
  }
  Generator generator(options.seed);
  const Tensor leaf = rows(options.batch);
  const auto draw = [&] {
    const Tensor loss =
        estimator([&](Choices& choices) { return cost(choices, leaf); }, &generator);
    // The loss is a mean over rows that know nothing of each other.
    return grad({loss}, {leaf})[0] * static_cast<double>(options.batch);
  };
  return stochastic_gradcheck(draw, truth, options);
}

std::string StochasticGradcheckReport::text() const {
  if (reference.empty()) return "nothing to check: the gradient has no coordinates\n";
  const auto at = static_cast<std::size_t>(worst);
  return fmt::format(
      "{}: {} samples, largest |z| {:.2f} at coordinate {} (critical {:.2f}): mean {:.6g}, "
      "reference {:.6g}, standard error {:.2g}; variance {:.4g}; a bias of {:.2g} of the norm "
      "{:.4g} would have been seen{}{}\n",
      ok ? "accepted" : "rejected", samples, std::fabs(z), worst, critical,
      reference[at] + bias[at], reference[at], standard_error[at], variance, detectable, norm,
      problem.empty() ? "" : "; ", problem);
}

}  // namespace heed
