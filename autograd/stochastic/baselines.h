// What to subtract from a cost before it weighs a log-probability: anything that does not depend on
// that draw leaves the mean of the gradient as it is, and what foresees the cost lowers its
// variance.
//
//   MovingAverage average;                                // b = 0.9 b + 0.1 mean cost
//   samples.surrogate(average.value()).backward();
//   average.update(cost);                                 // after it has served
#pragma once

#include "../tensor.h"

namespace heed {

/// b_k = decay b_{k-1} + (1 - decay) mean(cost_k), starting from the first mean.
class MovingAverage {
 public:
  /// Throws ValueError unless 0 <= decay < 1.
  explicit MovingAverage(double decay = 0.9);
  /// Rank 0; 0 before the first update.
  Tensor value(DType dtype = DType::f32) const;
  /// An infinite mean is left out. Throws ValueError for NaN.
  void update(const Tensor& cost);

 private:
  double decay_, value_ = 0;
  bool started_ = false;
};

/// For costs of K draws along the first axis: each one's baseline is the mean of the others,
/// finite where these are. A constant. Throws ShapeError unless K > 1.
Tensor leave_one_out(const Tensor& cost);

/// mean((stop(cost) - prediction)^2), what a learned baseline is trained by (Mnih & Gregor 2014,
/// NVIL). One shape; throws ShapeError.
Tensor baseline_loss(const Tensor& prediction, const Tensor& cost);

}  // namespace heed
