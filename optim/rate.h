// Learning rates over time: a Rate is a function of the rate that a group began with and of the
// number of steps t since. They are what schedules are made of, and join into others:
//
//   optim::Schedule schedule(optimizer, optim::rate::sequential(
//       {optim::rate::linear(0.1, 1, 500), optim::rate::cosine(9500)}, {500}));
//
// Names and formulas are PyTorch's, in closed form.
#pragma once

#include <functional>
#include <vector>

#include "../core/shape.h"

namespace heed::optim {

using Rate = std::function<double(double lr, Index step)>;

struct OneCycleOptions {
  double max_lr;
  Index total_steps;
  double pct_start = 0.3;         ///< the part of the steps in which the rate rises
  double div_factor = 25;         ///< the first rate is max_lr / div_factor
  double final_div_factor = 1e4;  ///< the last is the first / final_div_factor
  bool linear = false;            ///< lines in place of half cosines
  bool three_phase = false;       ///< down to the first rate as fast as up, then to the last
};

namespace rate {

/// lr gamma^floor(t / step_size). Throws ValueError unless step_size > 0.
Rate step(Index step_size, double gamma = 0.1);
/// lr gamma^(milestones at or before t). Throws ValueError unless they ascend from 0 or more.
Rate multi_step(std::vector<Index> milestones, double gamma = 0.1);
/// lr gamma^t
Rate exponential(double gamma);
/// eta_min + (lr - eta_min) (1 + cos(pi t / t_max)) / 2 (Loshchilov & Hutter 2017). Throws
/// ValueError unless t_max > 0.
Rate cosine(Index t_max, double eta_min = 0);
/// Cosines that begin anew after t_0 steps, then after t_0 t_mult, t_0 t_mult^2 and so on (SGDR,
/// Loshchilov & Hutter 2017). Throws ValueError unless t_0 and t_mult are positive.
Rate cosine_restarts(Index t_0, Index t_mult = 1, double eta_min = 0);
/// lr factor for t < total_iters, then lr. Throws ValueError unless total_iters > 0.
Rate constant(double factor = 1.0 / 3, Index total_iters = 5);
/// Warm-up: lr times a factor that goes in a line from start_factor to end_factor over total_iters
/// steps, and stays. Throws ValueError unless total_iters > 0.
Rate linear(double start_factor = 1.0 / 3, double end_factor = 1, Index total_iters = 5);
/// lr width^-1/2 min(n^-1/2, n warm_up^-3/2) with n = t + 1: up in a line, then down as one over
/// the root (Vaswani et al. 2017). Throws ValueError unless both are positive.
Rate noam(Index width, Index warm_up);
/// Up in a line to lr, where it is after warm_up steps, then down as a cosine to floor lr at
/// `steps`, where it stays. Throws ValueError unless 0 <= warm_up and 0 < steps.
Rate warm_up_and_cosine(Index steps, Index warm_up, double floor = 0.1);
/// Whatever lr is: up from max_lr / div_factor to max_lr, then down to the last rate, which stays
/// (PyTorch throws after total_steps, and also moves momenta; Smith & Topin 2018). Throws
/// ValueError unless total_steps > 0, pct_start is in [0, 1] and the other numbers are positive.
Rate one_cycle(const OneCycleOptions& options);

/// All at once, each taking the other's rate for its lr: factors multiply. PyTorch's
/// ChainedScheduler.
Rate chained(std::vector<Rate> rates);
/// One after another: the next takes over at its milestone, where it begins with its own step 0.
/// PyTorch's SequentialLR. Throws ValueError unless there is one milestone less than rates and they
/// ascend from 0 or more.
Rate sequential(std::vector<Rate> rates, std::vector<Index> milestones);

}  // namespace rate
}  // namespace heed::optim
