#include "schedule.h"

#include <fmt/format.h>

#include "../core/error.h"

namespace heed::optim {
Schedule::Schedule(Optimizer& optimizer, Rate rate)
    : optimizer_(optimizer), rate_(std::move(rate)) {
  std::vector<double> base_lrs;
  for (std::size_t i = 0; i < optimizer.group_count(); ++i) base_lrs.push_back(optimizer.lr(i));
  apply(base_lrs, 0);
}

void Schedule::step() { apply(base_lrs_, steps_ + 1); }

void Schedule::apply(const std::vector<double>& base_lrs, Index steps) {
  std::vector<double> rates;
  for (const double base : base_lrs) {
    optimizer_.check_lr(base);
    rates.push_back(rate_(base, steps));
    optimizer_.check_lr(rates.back());
  }
  base_lrs_ = base_lrs;  // all that can fail is behind
  for (std::size_t i = 0; i < rates.size(); ++i) optimizer_.set_lr(i, rates[i]);
  steps_ = steps;
}

std::vector<double> Schedule::last_lr() const {
  std::vector<double> rates;
  for (const double base : base_lrs_) rates.push_back(rate_(base, steps_));
  return rates;
}

NamedArrays Schedule::state_dict() const {
  return {{"steps", Array::from(std::vector<std::int64_t>{steps_}, {})},
          {"base_lrs", Array::from(base_lrs_)}};
}

void Schedule::load_state_dict(const NamedArrays& entries) {
  Array steps, rates;
  for (const auto& [name, array] : entries) {
    if (name == "steps") steps = array;
    if (name == "base_lrs") rates = array;
  }
  const bool fits = entries.size() == 2 && steps.defined() && steps.dtype() == DType::i64 &&
                    steps.numel() == 1 && steps.item() >= 0 && rates.defined() &&
                    rates.dtype() == DType::f64 &&
                    rates.shape() == Shape{static_cast<Index>(base_lrs_.size())};
  if (!fits) {
    throw ValueError(fmt::format("schedule: entries steps {}, base_lrs {} do not fit {} groups",
                                 describe(steps), describe(rates), base_lrs_.size()));
  }
  apply(rates.to_vector<double>(), *steps.data<std::int64_t>());
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(Index)> factor)
    : Schedule(optimizer,
               [factor = std::move(factor)](double lr, Index step) { return lr * factor(step); }) {}

}  // namespace heed::optim
