#include "normaliser.h"

#include "../autograd/ops/attention/sinks.h"
#include "../autograd/ops/normalise/softmax.h"
#include "../autograd/ops/shape/shape.h"

namespace heed::attention {

Tensor Softmax::operator()(const Tensor& scores, const Tensor& allowed, Index axis, Tensor*) const {
  const Scope scope(*this);
  return forwarded(softmax(scores, axis, allowed));
}

Tensor SoftmaxPlusOne::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                                  Tensor*) const {
  const Scope scope(*this);
  const Index from_end = normalize_axis("softmax_plus_one", axis, scores.rank()) - scores.rank();
  const auto all = beside_sinks(scores, allowed, zeros(Shape{}, scores.dtype()), from_end);
  return forwarded(narrow(softmax(all.scores, axis, all.allowed), axis, 0, scores.size(axis)));
}

}  // namespace heed::attention
