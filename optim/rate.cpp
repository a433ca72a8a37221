#include "rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../core/error.h"

namespace heed::optim::rate {
namespace {

void check_positive(const char* what, Index value) {
  if (value <= 0) throw ValueError(fmt::format("{} {} must be positive", what, value));
}

void check_positive(const char* what, double value) {
  if (!(value > 0 && std::isfinite(value))) {
    throw ValueError(fmt::format("{} {} must be finite and positive", what, value));
  }
}

void check_ascending(const char* what, const std::vector<Index>& milestones) {
  Index before = 0;
  for (const Index milestone : milestones) {
    if (milestone < before) {
      throw ValueError(
          fmt::format("{} must ascend from 0 or more, not {} after {}", what, milestone, before));
    }
    before = milestone;
  }
}

// How many milestones are at or before `step`.
std::size_t passed(const std::vector<Index>& milestones, Index step) {
  return static_cast<std::size_t>(std::upper_bound(milestones.begin(), milestones.end(), step) -
                                  milestones.begin());
}

double part(Index step, Index total) {
  return static_cast<double>(step) / static_cast<double>(total);
}

}  // namespace

Rate step(Index step_size, double gamma) {
  check_positive("StepLR: step_size", step_size);
  return [=](double lr, Index t) {
    const Index steps = t / step_size;
    return lr * std::pow(gamma, static_cast<double>(steps));
  };
}

Rate multi_step(std::vector<Index> milestones, double gamma) {
  check_ascending("MultiStepLR: milestones", milestones);
  return [milestones = std::move(milestones), gamma](double lr, Index t) {
    return lr * std::pow(gamma, static_cast<double>(passed(milestones, t)));
  };
}

Rate exponential(double gamma) {
  return [=](double lr, Index t) { return lr * std::pow(gamma, static_cast<double>(t)); };
}

Rate cosine(Index t_max, double eta_min) {
  check_positive("CosineAnnealingLR: t_max", t_max);
  return [=](double lr, Index t) {
    return eta_min + (lr - eta_min) * (1 + std::cos(std::numbers::pi * part(t, t_max))) / 2;
  };
}

Rate cosine_restarts(Index t_0, Index t_mult, double eta_min) {
  check_positive("CosineAnnealingWarmRestarts: t_0", t_0);
  check_positive("CosineAnnealingWarmRestarts: t_mult", t_mult);
  return [=](double lr, Index t) {
    auto length = static_cast<double>(t_0);
    auto done = static_cast<double>(t_mult == 1 ? t % t_0 : t);
    while (done >= length) {
      done -= length;
      length *= static_cast<double>(t_mult);
    }
    return eta_min + (lr - eta_min) * (1 + std::cos(std::numbers::pi * done / length)) / 2;
  };
}

Rate constant(double factor, Index total_iters) {
  check_positive("ConstantLR: total_iters", total_iters);
  return [=](double lr, Index t) { return t < total_iters ? lr * factor : lr; };
}

Rate linear(double start_factor, double end_factor, Index total_iters) {
  check_positive("LinearLR: total_iters", total_iters);
  return [=](double lr, Index t) {
    const double way = part(std::min(t, total_iters), total_iters);
    return lr * (start_factor + (end_factor - start_factor) * way);
  };
}

Rate noam(Index width, Index warm_up) {
  check_positive("NoamLR: width", width);
  check_positive("NoamLR: warm_up", warm_up);
  return [=](double lr, Index t) {
    const double n = static_cast<double>(t + 1), w = static_cast<double>(warm_up);
    return lr / std::sqrt(static_cast<double>(width)) *
           std::min(1 / std::sqrt(n), n / (w * std::sqrt(w)));
  };
}

Rate one_cycle(const OneCycleOptions& options) {
  check_positive("OneCycleLR: max_lr", options.max_lr);
  check_positive("OneCycleLR: total_steps", options.total_steps);
  check_positive("OneCycleLR: div_factor", options.div_factor);
  check_positive("OneCycleLR: final_div_factor", options.final_div_factor);
  if (!(options.pct_start >= 0 && options.pct_start <= 1)) {
    throw ValueError(fmt::format("OneCycleLR: pct_start {} is not in [0, 1]", options.pct_start));
  }
  struct Phase {
    double end, from, to;
  };
  const double total = static_cast<double>(options.total_steps);
  const double first = options.max_lr / options.div_factor;
  const double last = first / options.final_div_factor;
  std::vector<Phase> phases = {{options.pct_start * total - 1, first, options.max_lr}};
  if (options.three_phase) {
    phases.push_back({2 * options.pct_start * total - 2, options.max_lr, first});
    phases.push_back({total - 1, first, last});
  } else {
    phases.push_back({total - 1, options.max_lr, last});
  }
  return [phases, linear = options.linear](double, Index t) {
    const double now = static_cast<double>(t);
    double start = 0;
    for (const Phase& phase : phases) {
      if (now > phase.end) {
        start = phase.end;
        continue;
      }
      const double way = phase.end > start ? (now - start) / (phase.end - start) : 1;
      if (linear) return phase.from + (phase.to - phase.from) * way;
      return phase.to + (phase.from - phase.to) * (1 + std::cos(std::numbers::pi * way)) / 2;
    }
    return phases.back().to;
  };
}

Rate warm_up_and_cosine(Index steps, Index warm_up, double floor) {
  check_positive("warm_up_and_cosine: steps", steps);
  if (warm_up < 0) {
    throw ValueError(fmt::format("warm_up_and_cosine: warm_up {} is negative", warm_up));
  }
  const Index falls = std::max<Index>(steps - warm_up, 1);
  Rate fall = [falls, floor](double lr, Index t) {
    return cosine(falls, lr / (1 / floor))(lr, std::min(t, falls));
  };
  if (warm_up == 0) return fall;
  const double first = 1 / (static_cast<double>(warm_up) + 1);
  return sequential({linear(first, 1, warm_up), fall}, {warm_up});
}

Rate chained(std::vector<Rate> rates) {
  return [rates = std::move(rates)](double lr, Index t) {
    for (const Rate& rate : rates) lr = rate(lr, t);
    return lr;
  };
}

Rate sequential(std::vector<Rate> rates, std::vector<Index> milestones) {
  if (rates.size() != milestones.size() + 1) {
    throw ValueError(fmt::format("SequentialLR: {} rates want one milestone less than that, not {}",
                                 rates.size(), milestones.size()));
  }
  check_ascending("SequentialLR: milestones", milestones);
  return [rates = std::move(rates), milestones = std::move(milestones)](double lr, Index t) {
    const std::size_t now = passed(milestones, t);
    return rates[now](lr, now == 0 ? t : t - milestones[now - 1]);
  };
}

}  // namespace heed::optim::rate
