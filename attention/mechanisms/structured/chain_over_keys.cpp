#include "chain_over_keys.h"

#include "../../../autograd/ops/shape/shape.h"

namespace heed::attention {

Tensor chain_over_keys(const Tensor& scores, const Tensor& allowed, Index axis,
                       const std::function<Tensor(const Tensor& u, const Tensor& may)>& nodes) {
  const auto keys_last = [&](const Tensor& x) { return transpose(x, axis, -1); };
  const Tensor e = keys_last(scores);
  const Tensor may = allowed.defined() ? keys_last(expand(allowed, scores.shape())) : Tensor();
  const Tensor u = stack({zeros(e.shape(), e.dtype()), e}, -1);  // [.., K, 2]
  return keys_last(select(nodes(u, may), -1, 1));
}

}  // namespace heed::attention
