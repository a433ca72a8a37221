#include "early_stopping.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../core/error.h"

namespace heed::train {

EarlyStopping::EarlyStopping(Index patience, Better better, double least_gain)
    : patience_(patience),
      better_(better),
      least_gain_(least_gain),
      best_(std::numeric_limits<double>::quiet_NaN()) {
  if (patience <= 0 || !(least_gain >= 0.0)) {
    throw ValueError(
        fmt::format("early stopping: patience {} must be positive, least_gain {} not negative",
                    patience, least_gain));
  }
}

bool EarlyStopping::update(double figure) {
  ++rounds_;
  const double gain = better_ == Better::higher ? figure - best_ : best_ - figure;
  const bool first = std::isnan(best_) && !std::isnan(figure);
  if (!first && !(gain > least_gain_)) return false;
  best_ = figure;
  best_round_ = rounds_;
  return true;
}

}  // namespace heed::train
