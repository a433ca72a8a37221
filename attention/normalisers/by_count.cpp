#include "by_count.h"

#include <algorithm>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"

namespace heed::attention {

Tensor ByCount::operator()(const Tensor& scores, const Tensor& allowed, Index axis, Tensor*) const {
  const Scope scope(*this);
  if (!allowed.defined()) {
    return forwarded(scores / static_cast<double>(std::max<Index>(scores.size(axis), 1)));
  }
  const Tensor seen = expand(allowed, scores.shape());
  const Tensor count = sum(heed::to(seen, scores.dtype()), {axis}, true);
  return forwarded(where(seen, scores, 0) / maximum(count, 1));
}

}  // namespace heed::attention
