#include "entmax.h"

#include <cmath>

#include "../../../core/kernels/normalise/entmax.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"

namespace heed {
namespace {

// (exp(t) - 1 - t) / t^2, by its series near 0.
Tensor phi(const Tensor& t) {
  const Tensor near = abs(t) < tensor(0.03, t.dtype());
  const Tensor small = where(near, t, tensor(0, t.dtype()));
  const Tensor large = where(near, tensor(1, t.dtype()), t);
  Tensor series = small / 5040 + 1.0 / 720;
  for (const double factor : {1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}) series = series * small + factor;
  return where(near, series, (exp(large) - 1 - large) / square(large));
}

// kernels::entmax_grad in plain operators, differentiable in g, y and alpha.
Gradients plain_gradients(const Tensor& g, const Tensor& y, Index axis, const Tensor& alpha) {
  const Tensor zero = tensor(0, y.dtype());
  const Tensor support = Tensor(y.array()) != zero;  // also where it is NaN
  const Tensor log_p = log(where(support, y, tensor(1, y.dtype())));
  const Tensor s = where(support, exp((2 - alpha) * log_p), zero);
  const Tensor weights = sum(s, {axis}, true);
  const Tensor inside = where(support, g, zero);
  const Tensor middle =
      sum(s * inside, {axis}, true) / where(weights > zero, weights, tensor(1, y.dtype()));
  const Tensor e = inside - middle;
  const Tensor by_alpha = -(y * square(log_p) * phi((1 - alpha) * log_p));
  return {where(support, s * e, zero), sum(e * by_alpha, {axis}, true)};
}

}  // namespace

Tensor entmax(const Tensor& x, Index axis, const Tensor& alpha, const Tensor& mask) {
  check_defined("entmax", x, "x", alpha, "alpha");
  const Array y = kernels::entmax("entmax", x.array(), axis, alpha.array(),
                                  mask.defined() ? mask.array() : Array());
  say("axis", axis, "mask", mask.defined() ? mask.array() : Array());
  return record_joint(Op::entmax, {y}, {x, alpha},
                      [y = SavedOutput(y), alpha = Saved(alpha), axis](const Gradients& g,
                                                                       const std::vector<bool>&) {
                        if (recording()) return plain_gradients(g[0], y(), axis, alpha());
                        const auto grads =
                            kernels::entmax_grad(g[0].array(), y.array(), axis, alpha.array());
                        return Gradients{grads.x, grads.alpha};
                      })[0];
}

Tensor entmax(const Tensor& x, Index axis, double alpha, const Tensor& mask) {
  check_defined("entmax", x, "x");
  return entmax(x, axis, tensor(alpha, x.dtype()), mask);
}

}  // namespace heed
