// Checks of gradients that are themselves random: is their mean the true gradient? Independent
// estimates are drawn until a z-test for each coordinate decides. Looks are taken at sample sizes
// that double, and all looks at all coordinates share the family-wise error (Bonferroni), so a true
// gradient is rejected with at most that probability.
//
//   LeaveOneOut estimator(4);
//   const auto report = stochastic_gradcheck(estimator, cost, theta);     // against enumerate()
//   if (!report) std::puts(report.text().c_str());
//
// A test that accepts says how much it could have seen: a bias of relative norm `detectable`, in
// whatever direction, would have been rejected with probability `power`.
#pragma once

#include "enumeration.h"

namespace heed {

struct StochasticGradcheckOptions {
  double family_error = 1e-6;   ///< the probability of rejecting a true gradient
  double power = 0.99;          ///< that `detectable` is stated for
  double resolution = 0.01;     ///< stop when `detectable` is below, of the gradient's norm
  Index first_look = 16384;     ///< samples before the first test
  Index max_samples = 1 << 20;  ///< then the last look
  Index batch = 16384;          ///< estimates a call, where a cost is given
  std::uint64_t seed = 1;       ///< of the draws, where a cost is given
};

struct StochasticGradcheckReport {
  bool ok = false;  ///< not rejected
  Index samples = 0;
  std::vector<double> reference, bias, standard_error;  ///< a coordinate each; bias: mean - truth
  double variance = 0;    ///< of one estimate, summed over coordinates
  double norm = 0;        ///< of the reference
  Index worst = 0;        ///< coordinate of the largest |z|
  double z = 0;           ///< there
  double critical = 0;    ///< |z| above this is rejected
  double detectable = 0;  ///< relative to the norm
  std::string problem;    ///< why the check could not be made, or proves nothing

  explicit operator bool() const { return ok; }
  /// For people.
  std::string text() const;
};

/// `draw` gives independent estimates [n, ..], any number n > 1 a call; `reference` is what their
/// mean should be, shaped as one of them. f64. Throws ShapeError, DTypeError, ValueError.
StochasticGradcheckReport stochastic_gradcheck(const std::function<Tensor()>& draw,
                                               const Tensor& reference,
                                               const StochasticGradcheckOptions& options = {});

/// A cost whose choices depend on `theta` [N, ..], each row for itself: -> [N].
using RowCost = std::function<Tensor(Choices&, const Tensor& theta)>;

/// The estimator's gradient of theta, one row (f64), against `reference`, or enumerate()'s where
/// undefined.
StochasticGradcheckReport stochastic_gradcheck(Estimator& estimator, const RowCost& cost,
                                               const Tensor& theta,
                                               const StochasticGradcheckOptions& options = {},
                                               const Tensor& reference = Tensor());

}  // namespace heed
