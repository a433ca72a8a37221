// What changes in a Run from step to step. Internal to train.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../core/error.h"
#include "../optim/ema.h"
#include "../optim/mean_of_last.h"
#include "run.h"

namespace heed::train {

struct Sums {
  double loss = 0, weight = 0, seconds = 0;
};

struct Run::State {
  Index steps = 0, epochs = 0;
  Sums sums;  // of the round so far
  double step_loss = 0;
  bool stop = false;  // somebody who shares the run was told to
  Figures also;
  bool also_known = false;  // what names it has
  Training training;
  std::vector<double> first_rates;
  std::unique_ptr<optim::MeanOfLast> mean;
  std::unique_ptr<optim::EMA> ema;
  std::function<optim::NamedArrays()> place;  // of the batches
  nn::NamedTensors best;                      // weights, where there is no folder

  // Puts the averages into the model, or takes them out again.
  void swap() const {
    if (mean) mean->swap();
    if (ema) ema->swap();
  }
};

/// Throws ValueError in the run's name.
inline void check(bool right, const std::string& what) {
  if (!right) throw ValueError("run: " + what);
}

/// Throws ValueError unless it is finite and not negative.
void check_weight(double weight);

/// Of all that have one.
void scale_gradients(const std::vector<Tensor>& parameters, double factor);

/// Throws ValueError for a name that is none (names.h) or stands twice, and for digits that are not
/// 0 to 17.
void check_figures(const Figures& figures);
/// Whether both have these names, in this order.
bool same_names(const Figures& a, const Figures& b);

}  // namespace heed::train
