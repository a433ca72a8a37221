#include "adam.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "check_option.h"
#include "gradient_runs.h"

namespace heed::optim {
namespace {

template <class Options>
std::vector<std::string> moments(const char* op, const Options& options) {
  for (const double beta : options.betas) {
    if (!(beta >= 0 && beta < 1))
      throw ValueError(fmt::format("{}: beta {} is not in [0, 1)", op, beta));
  }
  check_not_negative(op, "eps", options.eps);
  check_not_negative(op, "weight_decay", options.weight_decay);
  return {"exp_avg", "exp_avg_sq"};
}

// The step's constants, worked out in double. The betas' complements are taken before rounding.
template <class T>
struct Step {
  T keep, decay, beta1, rest1, beta2, rest2, size, root, eps;
};

// Plain loops that compilers make vectors of: the step waits for memory, not for arithmetic.
template <class T>
void run(const Step<T>& s, const T* __restrict g, T* __restrict p, T* __restrict m, T* __restrict v,
         Index n) {
  const bool decays = s.decay != 0;  // 0 times infinity is NaN
  for (Index i = 0; i < n; ++i) {
    const T x = p[i] * s.keep;
    const T d = g[i] + s.decay * (decays ? x : 0);
    m[i] = s.beta1 * m[i] + s.rest1 * d;
    v[i] = s.beta2 * v[i] + s.rest2 * d * d;
    p[i] = x - s.size * m[i] / (std::sqrt(v[i]) / s.root + s.eps);
  }
}

// One step of one parameter; `decoupled` makes it AdamW's.
template <class Options>
void move(const Options& options, double rate, bool decoupled, Index steps,
          std::vector<Array>& state, const Tensor& gradient, Array& numbers) {
  const double beta1 = options.betas[0];
  const double beta2 = options.betas[1];
  const auto t = static_cast<double>(steps);
  visit_floating(Adam::kName, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Step<T> step = {
        .keep = static_cast<T>(decoupled ? 1 - rate * options.weight_decay : 1),
        .decay = static_cast<T>(decoupled ? 0 : options.weight_decay),
        .beta1 = static_cast<T>(beta1),
        .rest1 = static_cast<T>(1 - beta1),
        .beta2 = static_cast<T>(beta2),
        .rest2 = static_cast<T>(1 - beta2),
        .size = static_cast<T>(rate / (1 - std::pow(beta1, t))),
        .root = static_cast<T>(std::sqrt(1 - std::pow(beta2, t))),
        .eps = static_cast<T>(options.eps),
    };
    T* const p = numbers.mutable_data<T>();
    T* const m = state[0].mutable_data<T>();
    T* const v = state[1].mutable_data<T>();
    for_each_run<T>(
        gradient, [&](Index at, const T* g, Index n) { run(step, g, p + at, m + at, v + at, n); });
  });
}

}  // namespace

std::vector<std::string> Adam::state_names(const AdamOptions& options) {
  return moments(kName, options);
}

std::vector<std::string> AdamW::state_names(const AdamWOptions& options) {
  return moments(kName, options);
}

void Adam::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  move(options_of(slot), lr(slot.group), false, slot.steps, slot.state, gradient, numbers);
}

void AdamW::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  move(options_of(slot), lr(slot.group), true, slot.steps, slot.state, gradient, numbers);
}

}  // namespace heed::optim
