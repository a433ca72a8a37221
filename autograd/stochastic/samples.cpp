#include "samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../core/error.h"
#include "../check_defined.h"
#include "../grad_mode.h"
#include "../ops/elementwise/compare.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/shape.h"
#include "front_axes.h"

namespace heed {
namespace {

void check_no_nan(const char* op, const char* what, const Tensor& x) {
  check_floating(op, x.dtype());
  if (any(isnan(x)).item() != 0) {
    throw ValueError(fmt::format("{}: {} {} holds a NaN", op, what, describe(x)));
  }
}

// Sums of log-probabilities of the first n draws, lined up with one shape: costs mostly come in
// order and of one shape, and then each adds what the last had not.
class PrefixSums {
 public:
  explicit PrefixSums(const std::vector<Tensor>& draws) : draws_(draws) {}

  /// Undefined for n = 0.
  Tensor of(Index n, const Shape& shape) {
    if (n < count_ || shape_ != shape) {
      count_ = 0;
      sum_ = Tensor();
      shape_ = shape;
    }
    for (; count_ < n; ++count_) {
      const Tensor l = line_up("Samples", draws_[static_cast<std::size_t>(count_)], shape);
      sum_ = sum_.defined() ? sum_ + l : l;
    }
    return sum_;
  }

 private:
  const std::vector<Tensor>& draws_;
  Tensor sum_;
  Shape shape_;
  Index count_ = 0;
};

Tensor boxed_mean(const Tensor& log_prob, const Tensor& cost) {
  return mean(log_prob.defined() ? magic_box(log_prob) * cost : cost);
}

}  // namespace

Tensor magic_box(const Tensor& log_prob) { return exp(log_prob - log_prob.detach()); }

Samples::Samples(const SamplesOptions& options) : options_(options) {
  for (const double factor : {options.entropy, options.discount}) {
    if (!std::isfinite(factor) || factor < 0) {
      throw ValueError(
          fmt::format("Samples: entropy and discount must be finite and not negative: {} and {}",
                      options.entropy, options.discount));
    }
  }
}

Tensor Samples::draw(const Categorical& from, Index count) {
  Tensor out = from.sample(count, options_.generator);
  record(from.log_prob(out), options_.entropy > 0 ? from.entropy() : Tensor());
  return out;
}

Tensor Samples::draw(const Bernoulli& from, Index count) {
  Tensor out = from.sample(count, options_.generator);
  record(from.log_prob(out), options_.entropy > 0 ? from.entropy() : Tensor());
  return out;
}

Tensor Samples::draw(const Normal& from, Index count) {
  Tensor out = from.sample(count, options_.generator);
  record(from.log_prob(out), options_.entropy > 0 ? from.entropy() : Tensor());
  return out;
}

Index Samples::record(const Tensor& log_prob, const Tensor& entropy) {
  check_defined("Samples::record", log_prob, "log_prob");
  check_floating("Samples::record", log_prob.dtype());
  if (all(isfinite(log_prob)).item() == 0) {
    throw ValueError(fmt::format("Samples::record: log-probabilities {} are not all finite",
                                 describe(log_prob)));
  }
  const Index w = size();
  Tensor bonus;
  if (options_.entropy > 0 && entropy.defined()) {
    // K draws of one distribution share its entropy.
    const Tensor h = entropy.rank() + 1 == log_prob.rank() ? unsqueeze(entropy, 0) : entropy;
    bonus = h * (-options_.entropy * std::pow(options_.discount, static_cast<double>(w)));
  }
  bonuses_.push_back(bonus);
  draws_.push_back(log_prob);
  return w;
}

void Samples::add_cost(const Tensor& cost, const CostOptions& options) {
  check_defined("Samples::add_cost", cost, "cost");
  check_no_nan("Samples::add_cost", "cost", cost);
  for (const Index w : options.draws) check_draw("Samples::add_cost", w);
  const Index first = options.draws.empty() ? size() : 0;
  Cost added{cost, options.draws, first};
  for (Index w = 0; w < size(); ++w) {
    if (!added.depends_on(w)) continue;
    const NoGrad scope;
    line_up("Samples::add_cost", draws_[static_cast<std::size_t>(w)], cost.shape());
  }
  const Index step = options.step >= 0 ? options.step : std::max<Index>(0, size() - 1);
  const double factor = std::pow(options_.discount, static_cast<double>(step));
  if (factor != 1) added.value = cost * factor;
  costs_.push_back(std::move(added));
}

void Samples::add_reward(const Tensor& reward, const CostOptions& options) {
  check_defined("Samples::add_reward", reward, "reward");
  check_no_nan("Samples::add_reward", "reward", reward);
  add_cost(-reward.detach(), options);
}

bool Samples::Cost::depends_on(Index w) const {
  return w < first || std::find(draws.begin(), draws.end(), w) != draws.end();
}

const Samples::Cost* Samples::first_after(Index w) const {
  for (const Cost& cost : costs_) {
    if (cost.depends_on(w)) return &cost;
  }
  return nullptr;
}

void Samples::check_draw(const char* op, Index w) const {
  if (w < 0 || w >= size()) {
    throw IndexError(fmt::format("{}: draw {} was asked for; there are {}", op, w, size()));
  }
}

const Tensor& Samples::log_prob(Index w) const {
  check_draw("Samples::log_prob", w);
  return draws_[static_cast<std::size_t>(w)];
}

Tensor Samples::cost_after(Index w) const {
  check_draw("Samples::cost_after", w);
  const NoGrad scope;
  Tensor out;
  for (const Cost& cost : costs_) {
    if (!cost.depends_on(w)) continue;
    if (!out.defined()) {
      out = cost.value.detach();
      continue;
    }
    // A mean over more or fewer places weighs each otherwise.
    const double weight =
        static_cast<double>(out.numel()) / static_cast<double>(cost.value.numel());
    const Tensor more = line_up("Samples::cost_after", cost.value, out.shape());
    out = out + (weight == 1 ? more : more * weight);
  }
  if (!out.defined()) {
    throw GradError(fmt::format("Samples::cost_after: no cost depends on draw {}", w));
  }
  return out;
}

Tensor Samples::surrogate() const { return surrogate(std::vector<Tensor>()); }

Tensor Samples::surrogate(const Tensor& baseline) const {
  check_defined("Samples::surrogate", baseline, "baseline");
  return surrogate(std::vector<Tensor>(draws_.size(), baseline));
}

Tensor Samples::surrogate(const std::vector<Tensor>& baselines) const {
  if (!baselines.empty() && baselines.size() != draws_.size()) {
    throw ShapeError(fmt::format("Samples::surrogate: {} baselines for {} draws", baselines.size(),
                                 draws_.size()));
  }
  for (const Tensor& baseline : baselines) {
    check_defined("Samples::surrogate", baseline, "baseline");
    check_no_nan("Samples::surrogate", "baseline", baseline);
  }
  if (std::none_of(costs_.begin(), costs_.end(),
                   [](const Cost& cost) { return cost.first > 0 || !cost.draws.empty(); })) {
    throw GradError(fmt::format(
        "Samples::surrogate: no cost depends on any draw, so there is nothing to estimate: draw() "
        "first, then add_cost() what came of it ({} draws, {} costs)",
        draws_.size(), costs_.size()));
  }
  Tensor total;
  const auto add = [&total](const Tensor& more) { total = total.defined() ? total + more : more; };
  PrefixSums sums(draws_);
  for (const Cost& cost : costs_) {
    const Shape& shape = cost.value.shape();
    Tensor upstream = sums.of(cost.first, shape);
    for (const Index w : cost.draws) {
      const Tensor l = line_up("Samples", draws_[static_cast<std::size_t>(w)], shape);
      upstream = upstream.defined() ? upstream + l : l;
    }
    add(boxed_mean(upstream, cost.value));
  }
  for (Index w = 0; w < size(); ++w) {
    const auto at = static_cast<std::size_t>(w);
    const Cost* const after = first_after(w);
    if (bonuses_[at].defined()) {
      const Shape shape = (after ? *after : costs_.front()).value.shape();
      add(boxed_mean(sums.of(w, shape), line_up("Samples", bonuses_[at], shape)));
    }
    if (baselines.empty() || !after) continue;
    const Shape& shape = after->value.shape();
    const Tensor given = baselines[at].detach();
    const Tensor baseline = broadcast_to(where(isfinite(given), given, 0), shape);
    // Its value is 0, and what draw w alone adds to the boxes has no mean derivative of any order.
    const Tensor before = sums.of(w, shape);
    const Tensor own = 1 - magic_box(line_up("Samples", draws_[at], shape));
    add(boxed_mean(before, own * baseline));
  }
  return total;
}

}  // namespace heed
