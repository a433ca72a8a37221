// Learning-rate schedules. A schedule remembers the rate that each group of an optimizer began with
// and sets rate(t) = f(beginning, t) after t calls of step(): at once for t = 0, then usually once
// an epoch. Names and formulas (in closed form) are PyTorch's.
#pragma once

#include <functional>

#include "optimizer.h"

namespace heed::optim {

class Schedule {
 public:
  /// The rate at `step` of a group that began with `lr`.
  using Rate = std::function<double(double lr, Index step)>;

  /// `optimizer` must outlive the schedule.
  Schedule(Optimizer& optimizer, Rate rate);
  virtual ~Schedule() = default;

  void step();
  /// Calls of step() so far.
  Index steps() const { return steps_; }

  /// "steps" and "base_lrs", for checkpoints; loading sets the optimizer's rates. Throws ValueError
  /// when they do not fit.
  NamedArrays state_dict() const;
  void load_state_dict(const NamedArrays& entries);

 private:
  void apply();

  Optimizer& optimizer_;
  Rate rate_;
  std::vector<double> base_lrs_;
  Index steps_ = 0;
};

/// lr factor(t)
struct LambdaLR : Schedule {
  LambdaLR(Optimizer& optimizer, std::function<double(Index step)> factor);
};

/// lr gamma^floor(t / step_size). Throws ValueError unless step_size > 0.
struct StepLR : Schedule {
  StepLR(Optimizer& optimizer, Index step_size, double gamma = 0.1);
};

/// lr gamma^t
struct ExponentialLR : Schedule {
  ExponentialLR(Optimizer& optimizer, double gamma);
};

/// eta_min + (lr - eta_min) (1 + cos(pi t / t_max)) / 2 (Loshchilov & Hutter 2017). Throws
/// ValueError unless t_max > 0.
struct CosineAnnealingLR : Schedule {
  CosineAnnealingLR(Optimizer& optimizer, Index t_max, double eta_min = 0);
};

/// Warm-up: lr times a factor that goes in a line from start_factor to end_factor over total_iters
/// steps, and stays. Throws ValueError unless total_iters > 0.
struct LinearLR : Schedule {
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
                    Index total_iters = 5);
};

}  // namespace heed::optim
