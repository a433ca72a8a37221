#include "temperature.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../core/error.h"

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
  return forwarded(
      softmax(log_beta.defined() ? seen * exp(log_beta) : seen * beta_, axis, allowed));
}

}  // namespace heed::attention
