#include "sigmoid.h"

#include "../../autograd/ops/elementwise/activation.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/normalise/softmax.h"

namespace heed::attention {

Tensor Sigmoid::operator()(const Tensor& scores, const Tensor& allowed, Index, Tensor*) const {
  const Scope scope(*this);
  if (!allowed.defined()) return forwarded(sigmoid(scores));
  // The inner one keeps what is masked out of the derivative.
  return forwarded(where(allowed, sigmoid(where(allowed, scores, 0)), 0));
}

// As a softmax of logarithms: no row is too small to be divided by its sum.
Tensor NormalisedSigmoid::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                                     Tensor*) const {
  const Scope scope(*this);
  const Tensor seen = allowed.defined() ? where(allowed, scores, 0) : scores;
  return forwarded(softmax(log_sigmoid(seen), axis, allowed));
}

}  // namespace heed::attention
