#include "metrics.h"

#include <fmt/format.h>

#include <cmath>

#include "../core/error.h"

namespace heed::train {
namespace {

double ratio(Index part, Index whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Index check_classes(Index classes) {
  if (classes <= 0)
    throw ValueError(fmt::format("confusion: {} classes; needs at least 1", classes));
  return classes;
}

}  // namespace

Confusion::Confusion(Index classes)
    : classes_(check_classes(classes)),
      counts_(static_cast<std::size_t>(checked_mul("confusion", classes, classes))) {}

void Confusion::add(Index truth, Index prediction) {
  static_cast<void>(count(truth, prediction));  // checks both
  ++counts_[static_cast<std::size_t>(truth * classes_ + prediction)];
  ++total_;
}

Index Confusion::count(Index truth, Index prediction) const {
  for (const Index cls : {truth, prediction}) {
    if (cls < 0 || cls >= classes_) {
      throw IndexError(
          fmt::format("confusion: class {} is out of range for {} classes", cls, classes_));
    }
  }
  return counts_[static_cast<std::size_t>(truth * classes_ + prediction)];
}

double Confusion::accuracy() const {
  Index right = 0;
  for (Index cls = 0; cls < classes_; ++cls) right += count(cls, cls);
  return ratio(right, total_);
}

double Confusion::precision(Index cls) const {
  Index predicted = 0;
  for (Index truth = 0; truth < classes_; ++truth) predicted += count(truth, cls);
  return ratio(count(cls, cls), predicted);
}

double Confusion::recall(Index cls) const {
  Index present = 0;
  for (Index prediction = 0; prediction < classes_; ++prediction) present += count(cls, prediction);
  return ratio(count(cls, cls), present);
}

double Confusion::f1(Index cls) const {
  const double p = precision(cls);
  const double r = recall(cls);
  return p + r == 0.0 ? 0.0 : 2.0 * p * r / (p + r);
}

double Confusion::macro_f1() const {
  RunningMean mean;
  for (Index cls = 0; cls < classes_; ++cls) {
    bool occurs = false;
    for (Index other = 0; other < classes_; ++other) {
      occurs = occurs || count(cls, other) > 0 || count(other, cls) > 0;
    }
    if (occurs) mean.add(f1(cls));
  }
  return mean.mean();
}

void RunningMean::add(double value, double weight) {
  if (!(weight >= 0.0 && std::isfinite(weight)))
    throw ValueError(
        fmt::format("running mean: the weight {} must be finite and not negative", weight));
  if (weight == 0.0) return;
  weight_ += weight;
  mean_ += (value - mean_) * (weight / weight_);
}

}  // namespace heed::train
