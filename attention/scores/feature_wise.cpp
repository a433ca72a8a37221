#include "feature_wise.h"

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/shape/shape.h"
#include "../detail/checks.h"

namespace heed::attention {

FeatureWise::FeatureWise(Index query_width, Index key_width, Index hidden, Index value_width,
                         DType dtype)
    : query_projection(child<nn::Linear>("query_projection", query_width, hidden, true, dtype)),
      key_projection(child<nn::Linear>("key_projection", key_width, hidden, false, dtype)),
      out(child<nn::Linear>("out", hidden, value_width, true, dtype)) {}

Tensor FeatureWise::prepare(const Tensor& keys) const {
  check_rows("feature_wise", "keys", keys, key_projection.weight.size(1), out.weight.dtype());
  return key_projection(keys);
}

Tensor FeatureWise::operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const {
  const Scope scope(*this);
  const DType dtype = out.weight.dtype();
  check_rows("feature_wise", "query", query, query_projection.weight.size(1), dtype);
  check_rows("feature_wise", "prepared keys", prepared, out.weight.size(1), dtype);
  const Tensor q = unsqueeze(query_projection(query), -2);  // [.., Q, 1, hidden]
  return forwarded(out(tanh(q + unsqueeze(prepared, -3))));
}

}  // namespace heed::attention
