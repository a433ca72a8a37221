#include "adagrad.h"

#include <algorithm>
#include <cmath>

#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {

Adagrad::Adagrad(const std::vector<Tensor>& parameters, const AdagradOptions& options)
    : Optimizer("Adagrad") {
  add(parameters, options);
}

Adagrad::Adagrad(const std::vector<ParameterGroup<AdagradOptions>>& groups) : Optimizer("Adagrad") {
  for (const auto& group : groups) add(group.parameters, group.options);
}

void Adagrad::add(const std::vector<Tensor>& parameters, const AdagradOptions& options) {
  check_not_negative("Adagrad", "lr_decay", options.lr_decay);
  check_not_negative("Adagrad", "weight_decay", options.weight_decay);
  check_not_negative("Adagrad", "initial_accumulator_value", options.initial_accumulator_value);
  check_not_negative("Adagrad", "eps", options.eps);
  add_group(parameters, options.lr, {"sum"});
  options_.push_back(options);
}

void Adagrad::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const AdagradOptions& options = options_[slot.group];
  visit_floating("Adagrad", numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const p = numbers.mutable_data<T>();
    T* const s = slot.state[0].mutable_data<T>();
    if (slot.steps == 1) {
      std::fill_n(s, numbers.numel(), static_cast<T>(options.initial_accumulator_value));
    }
    const T decay = static_cast<T>(options.weight_decay);
    const T eps = static_cast<T>(options.eps);
    const T rate = static_cast<T>(lr(slot.group) /
                                  (1 + static_cast<double>(slot.steps - 1) * options.lr_decay));
    for_each_run<T>(gradient, [&](Index at, const T* __restrict g, Index n) {
      T* __restrict x = p + at;
      T* __restrict squares = s + at;
      for (Index i = 0; i < n; ++i) {
        const T d = g[i] + decay * x[i];
        squares[i] += d * d;
        x[i] -= rate * d / (std::sqrt(squares[i]) + eps);
      }
    });
  });
}

}  // namespace heed::optim
