#include "schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../core/error.h"

namespace heed::optim {
namespace {

Index positive(const char* what, Index value) {
  if (value <= 0) throw ValueError(fmt::format("{} {} must be positive", what, value));
  return value;
}

}  // namespace

Schedule::Schedule(Optimizer& optimizer, Rate rate)
    : optimizer_(optimizer), rate_(std::move(rate)) {
  for (std::size_t i = 0; i < optimizer.group_count(); ++i) base_lrs_.push_back(optimizer.lr(i));
  apply();
}

void Schedule::step() {
  ++steps_;
  apply();
}

void Schedule::apply() {
  for (std::size_t i = 0; i < base_lrs_.size(); ++i) {
    optimizer_.set_lr(i, rate_(base_lrs_[i], steps_));
  }
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
  base_lrs_ = rates.to_vector<double>();
  steps_ = *steps.data<std::int64_t>();
  apply();
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(Index)> factor)
    : Schedule(optimizer,
               [factor = std::move(factor)](double lr, Index step) { return lr * factor(step); }) {}

StepLR::StepLR(Optimizer& optimizer, Index step_size, double gamma)
    : Schedule(optimizer,
               [size = positive("StepLR: step_size", step_size), gamma](double lr, Index step) {
                 const Index drops = step / size;
                 return lr * std::pow(gamma, static_cast<double>(drops));
               }) {}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : Schedule(optimizer, [gamma](double lr, Index step) {
        return lr * std::pow(gamma, static_cast<double>(step));
      }) {}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, Index t_max, double eta_min)
    : Schedule(optimizer, [period = positive("CosineAnnealingLR: t_max", t_max), eta_min](
                              double lr, Index step) {
        const double turn = static_cast<double>(step) / static_cast<double>(period);
        return eta_min + (lr - eta_min) * (1 + std::cos(std::numbers::pi * turn)) / 2;
      }) {}

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor, Index total_iters)
    : Schedule(optimizer, [start_factor, end_factor,
                           total = positive("LinearLR: total_iters", total_iters)](double lr,
                                                                                   Index step) {
        const double way = static_cast<double>(std::min(step, total)) / static_cast<double>(total);
        return lr * (start_factor + (end_factor - start_factor) * way);
      }) {}

}  // namespace heed::optim
