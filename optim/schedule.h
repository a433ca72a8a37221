// Learning-rate schedules. A schedule remembers the rate that each group of an optimizer began with
// and sets rate(t) = f(beginning, t) after t calls of step(): at once for t = 0, then usually once
// an epoch. The functions are those of rate.h; ReduceLROnPlateau, which waits for a number that
// stops to improve, has a file of its own.
#pragma once

#include <vector>

#include "optimizer.h"
#include "rate.h"

namespace heed::optim {

class Schedule {
 public:
  using Rate = optim::Rate;

  /// `optimizer` must outlive the schedule. Throws ValueError for a rate that is negative or not
  /// finite, here and in step(), and then has changed nothing.
  Schedule(Optimizer& optimizer, Rate rate);
  virtual ~Schedule() = default;

  void step();
  /// Calls of step() so far.
  Index steps() const { return steps_; }
  /// The rates that were set last, one for each group.
  std::vector<double> last_lr() const;
  std::vector<double> get_last_lr() const { return last_lr(); }  ///< by PyTorch's word
  const Rate& rate() const { return rate_; }

  /// "steps" and "base_lrs", for checkpoints; loading sets the optimizer's rates. Throws ValueError
  /// when they do not fit, or give such rates, and then has changed nothing.
  NamedArrays state_dict() const;
  void load_state_dict(const NamedArrays& entries);

 private:
  /// Sets the rates of a step, and takes both.
  void apply(const std::vector<double>& base_lrs, Index steps);

  Optimizer& optimizer_;
  Rate rate_;
  std::vector<double> base_lrs_;
  Index steps_ = 0;
};

/// lr factor(t)
struct LambdaLR : Schedule {
  LambdaLR(Optimizer& optimizer, std::function<double(Index step)> factor);
};

// Each as the rate of its name, with the same defaults and errors.

struct StepLROptions {
  Index step_size;
  double gamma = 0.1;
};

struct StepLR : Schedule {
  StepLR(Optimizer& optimizer, const StepLROptions& options)
      : StepLR(optimizer, options.step_size, options.gamma) {}
  StepLR(Optimizer& optimizer, Index step_size, double gamma = 0.1)
      : Schedule(optimizer, rate::step(step_size, gamma)) {}
};

struct MultiStepLR : Schedule {
  MultiStepLR(Optimizer& optimizer, const std::vector<Index>& milestones, double gamma = 0.1)
      : Schedule(optimizer, rate::multi_step(milestones, gamma)) {}
};

struct ExponentialLR : Schedule {
  ExponentialLR(Optimizer& optimizer, double gamma)
      : Schedule(optimizer, rate::exponential(gamma)) {}
};

struct CosineAnnealingLROptions {
  Index T_max;  // NOLINT(readability-identifier-naming): PyTorch's
  double eta_min = 0;
};

struct CosineAnnealingLR : Schedule {
  CosineAnnealingLR(Optimizer& optimizer, const CosineAnnealingLROptions& options)
      : CosineAnnealingLR(optimizer, options.T_max, options.eta_min) {}
  CosineAnnealingLR(Optimizer& optimizer, Index t_max, double eta_min = 0)
      : Schedule(optimizer, rate::cosine(t_max, eta_min)) {}
};

struct CosineAnnealingWarmRestarts : Schedule {
  CosineAnnealingWarmRestarts(Optimizer& optimizer, Index t_0, Index t_mult = 1, double eta_min = 0)
      : Schedule(optimizer, rate::cosine_restarts(t_0, t_mult, eta_min)) {}
};

struct ConstantLR : Schedule {
  explicit ConstantLR(Optimizer& optimizer, double factor = 1.0 / 3, Index total_iters = 5)
      : Schedule(optimizer, rate::constant(factor, total_iters)) {}
};

struct LinearLR : Schedule {
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
                    Index total_iters = 5)
      : Schedule(optimizer, rate::linear(start_factor, end_factor, total_iters)) {}
};

struct NoamLR : Schedule {
  NoamLR(Optimizer& optimizer, Index width, Index warm_up)
      : Schedule(optimizer, rate::noam(width, warm_up)) {}
};

struct OneCycleLR : Schedule {
  OneCycleLR(Optimizer& optimizer, const OneCycleOptions& options)
      : Schedule(optimizer, rate::one_cycle(options)) {}
  template <std::floating_point T>
  OneCycleLR(Optimizer& optimizer, T max_lr, Index total_steps, double pct_start = 0.3)
      : OneCycleLR(optimizer,
                   {.max_lr = max_lr, .total_steps = total_steps, .pct_start = pct_start}) {}
};

struct ChainedScheduler : Schedule {
  ChainedScheduler(Optimizer& optimizer, const std::vector<Rate>& rates)
      : Schedule(optimizer, rate::chained(rates)) {}
};

struct SequentialLR : Schedule {
  SequentialLR(Optimizer& optimizer, const std::vector<Rate>& rates,
               const std::vector<Index>& milestones)
      : Schedule(optimizer, rate::sequential(rates, milestones)) {}
};

/// By PyTorch's place for them: lr_scheduler::StepLR is StepLR.
namespace lr_scheduler {
using optim::ChainedScheduler;
using optim::ConstantLR;
using optim::CosineAnnealingLR;
using optim::CosineAnnealingWarmRestarts;
using optim::ExponentialLR;
using optim::LambdaLR;
using optim::LinearLR;
using optim::MultiStepLR;
using optim::OneCycleLR;
using optim::SequentialLR;
using optim::StepLR;
}  // namespace lr_scheduler

}  // namespace heed::optim
