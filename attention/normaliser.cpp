#include "normaliser.h"

#include "../autograd/ops/softmax.h"

namespace heed::attention {

Tensor Softmax::operator()(const Tensor& scores, const Tensor& allowed, Index axis, Tensor*) const {
  return forwarded(softmax(scores, axis, allowed));
}

}  // namespace heed::attention
