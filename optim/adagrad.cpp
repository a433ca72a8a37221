#include "adagrad.h"

#include <algorithm>
#include <cmath>

#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {

std::vector<std::string> Adagrad::state_names(const AdagradOptions& options) {
  check_not_negative(kName, "lr_decay", options.lr_decay);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  check_not_negative(kName, "initial_accumulator_value", options.initial_accumulator_value);
  check_not_negative(kName, "eps", options.eps);
  return {"sum"};
}

void Adagrad::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const AdagradOptions& options = options_of(slot);
  visit_floating(kName, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const p = numbers.mutable_data<T>();
    T* const s = slot.state[0].mutable_data<T>();
    if (slot.steps == 1) {
      std::fill_n(s, numbers.numel(), static_cast<T>(options.initial_accumulator_value));
    }
    const T decay = static_cast<T>(options.weight_decay);
    const bool decays = decay != 0;  // 0 times infinity is NaN
    const T eps = static_cast<T>(options.eps);
    const T rate = static_cast<T>(lr(slot.group) /
                                  (1 + static_cast<double>(slot.steps - 1) * options.lr_decay));
    for_each_run<T>(gradient, [&](Index at, const T* __restrict g, Index n) {
      T* __restrict x = p + at;
      T* __restrict squares = s + at;
      for (Index i = 0; i < n; ++i) {
        const T d = g[i] + decay * (decays ? x[i] : 0);
        squares[i] += d * d;
        x[i] -= rate * d / (std::sqrt(squares[i]) + eps);
      }
    });
  });
}

}  // namespace heed::optim
