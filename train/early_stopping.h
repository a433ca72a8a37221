// Stops training when a validation figure has not improved for `patience` rounds. To resume a run,
// give the figures of the earlier rounds to update() again, in order.
#pragma once

#include "../core/shape.h"

namespace heed::train {

enum class Better { higher, lower };

class EarlyStopping {
 public:
  /// Only changes above `least_gain` count. Throws ValueError unless patience > 0 and least_gain >=
  /// 0.
  explicit EarlyStopping(Index patience, Better better = Better::higher, double least_gain = 0.0);

  /// True when `figure` is the best so far: the moment to save the model. NaN never is.
  bool update(double figure);
  bool should_stop() const { return rounds_ - best_round_ >= patience_; }

  /// NaN before the first figure.
  double best() const { return best_; }
  /// Counts from 1; 0 before the first improvement.
  Index best_round() const { return best_round_; }

 private:
  Index patience_;
  Better better_;
  double least_gain_;
  double best_;
  Index rounds_ = 0;
  Index best_round_ = 0;
};

}  // namespace heed::train
