#include "lion.h"

#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {

std::vector<std::string> Lion::state_names(const LionOptions& options) {
  check_share(kName, "beta1", options.betas[0]);
  check_share(kName, "beta2", options.betas[1]);
  check_not_negative(kName, "weight_decay", options.weight_decay);
  return {"exp_avg"};
}

void Lion::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const LionOptions& options = options_of(slot);
  visit_floating(kName, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const p = numbers.mutable_data<T>();
    T* const average = slot.state[0].mutable_data<T>();
    const T lr = static_cast<T>(this->lr(slot.group));
    const T decay = static_cast<T>(options.weight_decay);
    const bool decays = decay != 0;  // 0 times infinity is NaN
    const T beta1 = static_cast<T>(options.betas[0]);
    const T beta2 = static_cast<T>(options.betas[1]);
    for_each_run<T>(gradient, [&](Index at, const T* __restrict g, Index n) {
      T* __restrict x = p + at;
      T* __restrict m = average + at;
      for (Index i = 0; i < n; ++i) {
        const T c = beta1 * m[i] + (1 - beta1) * g[i];
        const T sign = static_cast<T>((c > 0) - (c < 0));
        x[i] -= lr * (sign + decay * (decays ? x[i] : 0));
        m[i] = beta2 * m[i] + (1 - beta2) * g[i];
      }
    });
  });
}

}  // namespace heed::optim
