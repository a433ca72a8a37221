#include "baselines.h"

#include <fmt/format.h>

#include <cmath>

#include "../../core/error.h"
#include "../check_defined.h"
#include "../grad_mode.h"
#include "../ops/elementwise/elementwise.h"
#include "../ops/reduce/cumulative.h"
#include "../ops/reduce/reduce.h"
#include "../ops/shape/arrange.h"
#include "../ops/shape/join.h"
#include "../ops/shape/slicing.h"

namespace heed {

MovingAverage::MovingAverage(double decay) : decay_(decay) {
  if (!(decay >= 0 && decay < 1)) {
    throw ValueError(fmt::format("MovingAverage: decay {} is not in [0, 1)", decay));
  }
}

Tensor MovingAverage::value(DType dtype) const { return tensor(value_, dtype); }

void MovingAverage::update(const Tensor& cost) {
  check_defined("MovingAverage::update", cost, "cost");
  const NoGrad scope;
  const double now = mean(cost).item();
  if (std::isnan(now)) {
    throw ValueError(fmt::format("MovingAverage::update: cost {} holds a NaN", describe(cost)));
  }
  if (std::isinf(now)) return;  // no later cost would bring it back
  value_ = started_ ? decay_ * value_ + (1 - decay_) * now : now;
  started_ = true;
}

Tensor leave_one_out(const Tensor& cost) {
  check_defined("leave_one_out", cost, "cost");
  if (cost.rank() == 0 || cost.size(0) < 2) {
    throw ShapeError(fmt::format("leave_one_out: cost {} needs a first axis of at least 2 samples",
                                 describe(cost)));
  }
  const NoGrad scope;
  // Those before and those behind: from the sum of all an infinite cost, or a very large one, could
  // not be taken away again.
  const Index others = cost.size(0) - 1;
  const Tensor none = zeros_like(narrow(cost, 0, 0, 1));
  const Tensor before = cumsum(concat({none, narrow(cost, 0, 0, others)}), 0);
  const Tensor behind = cumsum(concat({none, flip(narrow(cost, 0, 1, others), {0})}), 0);
  return (before + flip(behind, {0})) / static_cast<double>(others);
}

Tensor baseline_loss(const Tensor& prediction, const Tensor& cost) {
  check_defined("baseline_loss", prediction, "prediction", cost, "cost");
  if (prediction.shape() != cost.shape()) {
    throw ShapeError(fmt::format("baseline_loss: prediction is {}, cost is {}: one shape is needed",
                                 describe(prediction), describe(cost)));
  }
  return mean(square(cost.detach() - prediction));
}

}  // namespace heed
