#include "temperature.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../core/error.h"
#include "../detail/nan_guard.h"

namespace heed::attention {
namespace {

double checked_beta(double beta) {
  if (beta > 0 && std::isfinite(beta)) return beta;
  throw ValueError(fmt::format("temperature: beta {} must be positive", beta));
}

}  // namespace

Temperature::Temperature(double beta, bool learned, DType dtype)
    : log_beta(
          parameter("log_beta", learned ? tensor(std::log(checked_beta(beta)), dtype) : Tensor())),
      beta_(checked_beta(beta)) {}

Tensor Temperature::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                               Tensor*) const {
  const Scope scope(*this);
  const Tensor seen = allowed.defined() ? where(allowed, scores, 0) : scores;
  if (!log_beta.defined()) return forwarded(softmax(seen * beta_, axis, allowed));
  const FinitePart finite = finite_part(seen);  // a score of -infinity has no share in beta
  const Tensor sharper = finite.x * exp(log_beta);
  const Tensor all = finite.bad.defined() ? where(finite.bad, seen, sharper) : sharper;
  return forwarded(softmax(all, axis, allowed));
}

}  // namespace heed::attention
