#include "adam.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"
#include "gradient_runs.h"

namespace heed::optim {
namespace {

void check(const char* op, const AdamOptions& options) {
  for (const double beta : options.betas) {
    if (!(beta >= 0 && beta < 1))
      throw ValueError(fmt::format("{}: beta {} is not in [0, 1)", op, beta));
  }
  if (!(options.eps >= 0 && std::isfinite(options.eps))) {
    throw ValueError(fmt::format("{}: eps {} must be finite and not negative", op, options.eps));
  }
  if (!(options.weight_decay >= 0 && std::isfinite(options.weight_decay))) {
    throw ValueError(fmt::format("{}: weight_decay {} must be finite and not negative", op,
                                 options.weight_decay));
  }
}

AdamOptions plain(const AdamWOptions& options) {
  return {.lr = options.lr,
          .betas = options.betas,
          .eps = options.eps,
          .weight_decay = options.weight_decay};
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
  for (Index i = 0; i < n; ++i) {
    const T x = p[i] * s.keep;
    const T d = g[i] + s.decay * x;
    m[i] = s.beta1 * m[i] + s.rest1 * d;
    v[i] = s.beta2 * v[i] + s.rest2 * d * d;
    p[i] = x - s.size * m[i] / (std::sqrt(v[i]) / s.root + s.eps);
  }
}

}  // namespace

void AdamBase::add(const std::vector<Tensor>& parameters, const AdamOptions& options) {
  check(op_, options);
  add_group(parameters, options.lr, {"exp_avg", "exp_avg_sq"});
  options_.push_back(options);
}

void AdamBase::update(Slot& slot, const Tensor& gradient, Array& numbers) {
  const AdamOptions& options = options_[slot.group];
  const double rate = lr(slot.group);
  const double beta1 = options.betas[0];
  const double beta2 = options.betas[1];
  const auto t = static_cast<double>(slot.steps);
  visit_floating(op_, numbers.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Step<T> step = {
        .keep = static_cast<T>(decoupled_ ? 1 - rate * options.weight_decay : 1),
        .decay = static_cast<T>(decoupled_ ? 0 : options.weight_decay),
        .beta1 = static_cast<T>(beta1),
        .rest1 = static_cast<T>(1 - beta1),
        .beta2 = static_cast<T>(beta2),
        .rest2 = static_cast<T>(1 - beta2),
        .size = static_cast<T>(rate / (1 - std::pow(beta1, t))),
        .root = static_cast<T>(std::sqrt(1 - std::pow(beta2, t))),
        .eps = static_cast<T>(options.eps),
    };
    T* const p = numbers.mutable_data<T>();
    T* const m = slot.state[0].mutable_data<T>();
    T* const v = slot.state[1].mutable_data<T>();
    for_each_run<T>(
        gradient, [&](Index at, const T* g, Index n) { run(step, g, p + at, m + at, v + at, n); });
  });
}

Adam::Adam(const std::vector<Tensor>& parameters, const AdamOptions& options)
    : AdamBase("Adam", false) {
  add(parameters, options);
}

Adam::Adam(const std::vector<ParameterGroup<AdamOptions>>& groups) : AdamBase("Adam", false) {
  for (const auto& group : groups) add(group.parameters, group.options);
}

AdamW::AdamW(const std::vector<Tensor>& parameters, const AdamWOptions& options)
    : AdamBase("AdamW", true) {
  add(parameters, plain(options));
}

AdamW::AdamW(const std::vector<ParameterGroup<AdamWOptions>>& groups) : AdamBase("AdamW", true) {
  for (const auto& group : groups) add(group.parameters, plain(group.options));
}

}  // namespace heed::optim
