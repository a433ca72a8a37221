// The truth that every estimator is tested against: the expected cost over all choices, each
// weighed by its probability. Exact and differentiable at any order, for small spaces.
#pragma once

#include "estimator.h"

namespace heed {

struct EnumerateOptions {
  /// Leading axes of the logits that are examples. Choices along further axes are enumerated
  /// jointly: logits [B, H, L] have L^H combinations.
  Index batch_axes = 1;
  /// The most sequences of choices to go through.
  Index limit = 100000;
};

/// sum over b of p(b) f(b), one number an example, shaped as the cost; the function is called once
/// for each sequence. A sequence of probability 0 adds nothing, an infinite cost neither. How many
/// choices there are, and of how many places, must not depend on the choices. Throws ValueError for
/// a space above the limit, saying how large it is; GradError when the function made no choice.
Tensor enumerate(const ChoiceCost& cost, const EnumerateOptions& options = {});

class Enumeration final : public Estimator {
 public:
  explicit Enumeration(const EnumerateOptions& options = {}) : options_(options) {}
  const char* name() const override { return "enumeration"; }
  Index evaluations() const override { return 0; }
  /// The mean of enumerate(); draws nothing.
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  EnumerateOptions options_;
};

}  // namespace heed
