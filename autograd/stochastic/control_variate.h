// REBAR (Tucker 2017) and RELAX (Grathwohl 2018): the score function with a control variate c that
// sees the relaxed choice. For a choice b = argmax z, z = log p + Gumbel noise, and z~ ~ p(z | b):
//   [f(b) - c(z~)] grad log p(b) + grad c(z) - grad c(z~)
// whose mean is the gradient whatever c is. REBAR: c(z) = eta f(softmax(z / tau)). RELAX: c(z) =
// eta f(softmax(z / tau)) + r(z), where r, eta and tau are trained by the gradient of the variance,
// second order through the tape. Of several dependent choices each has its term, later ones relaxed
// under the noise that was drawn: 1 + 2 T evaluations for T choices. Noise is shared between z and
// z~, so that z~ = z in value and they differ in their gradients alone. First order only.
#pragma once

#include "estimator.h"

namespace heed {

class Rebar final : public Estimator {
 public:
  /// Throws ValueError unless tau > 0 and eta is finite.
  explicit Rebar(double tau = 0.5, double eta = 1);
  const char* name() const override { return "REBAR"; }
  Index evaluations() const override { return 0; }
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  double tau_, eta_;
};

/// r(z) of choice `step`: z [B, .., L] -> one number an example, [B].
using ControlVariate = std::function<Tensor(const Tensor& z, Index step)>;

struct RelaxOptions {
  double tau = 0.5;                     ///< where training starts
  double eta = 1;                       ///< 0: r alone, of a cost that takes hard choices only
  ControlVariate control = nullptr;     ///< null: none, eta and tau alone are trained
  std::vector<Tensor> parameters = {};  ///< of control
};

class Relax final : public Estimator {
 public:
  /// Throws ValueError as Rebar's.
  explicit Relax(const RelaxOptions& options = {});
  const char* name() const override { return "RELAX"; }
  Index evaluations() const override { return 0; }
  /// log tau and eta (f64; not with eta = 0) and those of the control variate. Their gradient is
  /// that of the variance: of sum |gradient|^2 at the logits, the mean over examples.
  std::vector<Tensor> parameters() const override;
  Tensor operator()(const ChoiceCost& cost, Generator* generator = nullptr) override;

 private:
  ControlVariate control_;
  std::vector<Tensor> own_;
  Tensor log_tau_, eta_;  // undefined with eta = 0
};

}  // namespace heed
