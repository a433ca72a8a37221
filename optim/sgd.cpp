#include "sgd.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {

std::vector<std::string> SGD::state_names(const SGDOptions& options) {
  check_not_negative(kName, "momentum", options.momentum);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  if (!std::isfinite(options.dampening)) {
    throw ValueError(fmt::format("SGD: dampening {} must be finite", options.dampening));
  }
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0)) {
    throw ValueError(fmt::format(
        "SGD: nesterov wants a momentum and no dampening, not momentum {} and dampening {}",
        options.momentum, options.dampening));
  }
  std::vector<std::string> names;
  if (options.momentum > 0) names.emplace_back("momentum_buffer");
  return names;
}

void SGD::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const SGDOptions& options = options_of(slot);
  visit_floating(kName, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const p = numbers.mutable_data<T>();
    T* const b = slot.state.empty() ? nullptr : slot.state[0].mutable_data<T>();
    const T lr = static_cast<T>(this->lr(slot.group));
    const T decay = static_cast<T>(options.weight_decay);
    const bool decays = decay != 0;  // 0 times infinity is NaN
    const T momentum = static_cast<T>(options.momentum);
    const bool nesterov = options.nesterov;
    const T share = slot.steps == 1 ? T{1} : static_cast<T>(1 - options.dampening);
    for_each_run<T>(gradient, [&](Index at, const T* __restrict g, Index n) {
      T* __restrict x = p + at;
      if (!b) {
        for (Index i = 0; i < n; ++i) x[i] -= lr * (g[i] + decay * (decays ? x[i] : 0));
        return;
      }
      T* __restrict buffer = b + at;
      for (Index i = 0; i < n; ++i) {
        const T d = g[i] + decay * (decays ? x[i] : 0);
        buffer[i] = momentum * buffer[i] + share * d;
        x[i] -= lr * (nesterov ? d + momentum * buffer[i] : buffer[i]);
      }
    });
  });
}

}  // namespace heed::optim
