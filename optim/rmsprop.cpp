#include "rmsprop.h"

#include <cmath>

#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {

std::vector<std::string> RMSprop::state_names(const RMSpropOptions& options) {
  check_share(kName, "alpha", options.alpha);
  check_not_negative(kName, "eps", options.eps);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  check_not_negative(kName, "momentum", options.momentum);
  std::vector<std::string> names;
  names.reserve(3);
  names.emplace_back("square_avg");
  if (options.momentum > 0) names.emplace_back("momentum_buffer");
  if (options.centered) names.emplace_back("grad_avg");
  return names;
}

void RMSprop::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const RMSpropOptions& options = options_of(slot);
  visit_floating(kName, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const p = numbers.mutable_data<T>();
    T* const v = slot.state[0].mutable_data<T>();
    T* const b = options.momentum > 0 ? slot.state[1].mutable_data<T>() : nullptr;
    T* const a = options.centered ? slot.state.back().mutable_data<T>() : nullptr;
    const T rate = static_cast<T>(lr(slot.group));
    const T decay = static_cast<T>(options.weight_decay);
    const bool decays = decay != 0;  // 0 times infinity is NaN
    const T eps = static_cast<T>(options.eps);
    const T alpha = static_cast<T>(options.alpha);
    const T rest = static_cast<T>(1 - options.alpha);
    const T momentum = static_cast<T>(options.momentum);
    for_each_run<T>(gradient, [&](Index at, const T* g, Index n) {
      for (Index i = 0, k = at; i < n; ++i, ++k) {
        const T d = g[i] + decay * (decays ? p[k] : 0);
        v[k] = alpha * v[k] + rest * d * d;
        T spread = v[k];
        if (a) {
          a[k] = alpha * a[k] + rest * d;
          spread -= a[k] * a[k];
        }
        T step = d / (std::sqrt(spread) + eps);
        if (b) step = b[k] = momentum * b[k] + step;
        p[k] -= rate * step;
      }
    });
  });
}

}  // namespace heed::optim
