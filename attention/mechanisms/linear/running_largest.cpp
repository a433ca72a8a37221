#include "running_largest.h"

#include <algorithm>

#include "../../../core/dtype.h"

namespace heed::attention {

Tensor running_largest(const Tensor& x, const Tensor& first) {
  Array out = x.array().clone();
  const Index B = x.size(0), T = x.size(1), E = x.size(2);
  const Array before = first.defined() ? first.array().contiguous() : Array();
  visit_floating("running_largest", x.dtype(), [&](auto zero) {
    using F = decltype(zero);
    F* to = out.mutable_data<F>();
    const F* from = before.defined() ? before.data<F>() : nullptr;
    for (Index b = 0; b < B; ++b) {
      for (Index t = 0; t < T; ++t) {
        F* row = to + (b * T + t) * E;
        const F* last = t > 0 ? row - E : from != nullptr ? from + b * E : row;
        for (Index e = 0; e < E; ++e) row[e] = std::max(row[e], last[e]);
      }
    }
  });
  return out;
}

}  // namespace heed::attention
