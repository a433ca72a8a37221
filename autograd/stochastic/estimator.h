// Estimator: the gradient of an expected cost E[f(b)] over discrete choices b, behind one call:
//
//   LeaveOneOut estimator(4);
//   estimator(cost).backward();            // cost: Tensor(Choices&), see choices.h
//
// What comes back is a scalar whose value is the mean cost of what was drawn and whose gradient is
// the estimate: for the parameters behind the logits, for those that the cost uses directly, and
// for the estimator's own (learned baselines, control variates), so that one optimizer over all of
// them trains the whole. docs/hard_attention.md says which to take.
#pragma once

#include "choices.h"

namespace heed {

class Estimator {
 public:
  virtual ~Estimator() = default;
  /// As tables print it.
  virtual const char* name() const = 0;
  /// Whether the mean of the estimate is the gradient.
  virtual bool unbiased() const { return true; }
  /// How often the cost is computed for one sample of every choice, or 0 when that depends on the
  /// number of choices.
  virtual Index evaluations() const { return 1; }
  /// Trained by the gradient of the loss as well.
  virtual std::vector<Tensor> parameters() const { return {}; }
  /// Throws ShapeError for a cost whose leading axes are not the choices', ValueError for NaN in
  /// it, GradError when the function made no choice.
  virtual Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) = 0;
};

}  // namespace heed
