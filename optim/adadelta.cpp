#include "adadelta.h"

#include <cmath>

#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {

std::vector<std::string> Adadelta::state_names(const AdadeltaOptions& options) {
  check_share(kName, "rho", options.rho);
  check_not_negative(kName, "eps", options.eps);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  return {"square_avg", "acc_delta"};
}

void Adadelta::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const AdadeltaOptions& options = options_of(slot);
  visit_floating(kName, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const p = numbers.mutable_data<T>();
    T* const v = slot.state[0].mutable_data<T>();
    T* const u = slot.state[1].mutable_data<T>();
    const T rate = static_cast<T>(lr(slot.group));
    const T decay = static_cast<T>(options.weight_decay);
    const bool decays = decay != 0;  // 0 times infinity is NaN
    const T eps = static_cast<T>(options.eps);
    const T rho = static_cast<T>(options.rho);
    const T rest = static_cast<T>(1 - options.rho);
    for_each_run<T>(gradient, [&](Index at, const T* __restrict g, Index n) {
      T* __restrict x = p + at;
      T* __restrict squares = v + at;
      T* __restrict steps = u + at;
      for (Index i = 0; i < n; ++i) {
        const T d = g[i] + decay * (decays ? x[i] : 0);
        squares[i] = rho * squares[i] + rest * d * d;
        const T delta = std::sqrt(steps[i] + eps) / std::sqrt(squares[i] + eps) * d;
        steps[i] = rho * steps[i] + rest * delta * delta;
        x[i] -= rate * delta;
      }
    });
  });
}

}  // namespace heed::optim
