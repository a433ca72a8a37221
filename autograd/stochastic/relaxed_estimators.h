// Biased estimators: the choice is replaced by something differentiable, and its gradient is taken
// for that of the choice. The cost must be differentiable in the weights. Low variance; the bias
// stays however many samples there are.
#pragma once

#include "estimator.h"

namespace heed {

/// The kinds and their formulas are those of Relaxation, in choices.h.
class Relaxed final : public Estimator {
 public:
  /// Throws ValueError unless tau > 0.
  explicit Relaxed(Relaxation kind, double tau = 1);
  const char* name() const override;
  bool unbiased() const override { return false; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  Relaxation kind_;
  double tau_;
};

}  // namespace heed
