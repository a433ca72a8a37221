// Measures of a classifier: the confusion matrix and what follows from it, and a running mean.
#pragma once

#include <vector>

#include "../core/shape.h"

namespace heed::train {

/// Counts of (true class, predicted class). A ratio of nothing to nothing is 0.
class Confusion {
 public:
  /// Throws ValueError unless classes > 0.
  explicit Confusion(Index classes);

  /// Throws IndexError for a class outside [0, classes).
  void add(Index truth, Index prediction);

  Index classes() const { return classes_; }
  Index count(Index truth, Index prediction) const;
  Index total() const { return total_; }

  double accuracy() const;
  /// Of what was predicted as the class, the part that is.
  double precision(Index cls) const;
  /// Of what is the class, the part that was predicted so.
  double recall(Index cls) const;
  /// 2 precision recall / (precision + recall).
  double f1(Index cls) const;
  /// Mean F1 of the classes that occur as truth or prediction.
  double macro_f1() const;

 private:
  Index classes_;
  Index total_ = 0;
  std::vector<Index> counts_;  // [truth, prediction]
};

/// The mean of what was added so far, each value with its weight (the size of its batch, say).
class RunningMean {
 public:
  /// Throws ValueError for a weight that is negative or not finite.
  void add(double value, double weight = 1.0);
  /// 0 before the first value.
  double mean() const { return mean_; }
  double weight() const { return weight_; }

 private:
  double mean_ = 0.0;
  double weight_ = 0.0;
};

}  // namespace heed::train
