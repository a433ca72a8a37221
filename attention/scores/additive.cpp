#include "additive.h"

#include <cmath>

#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/matmul.h"
#include "../../autograd/ops/shape.h"
#include "../../nn/init.h"
#include "../tiled.h"

namespace heed::attention {

Additive::Additive(Index query_width, Index key_width, Index hidden, bool with_bias, DType dtype)
    : query_projection(
          child<nn::Linear>("query_projection", query_width, hidden, with_bias, dtype)),
      key_projection(child<nn::Linear>("key_projection", key_width, hidden, false, dtype)),
      score_vector(parameter("score_vector", zeros(Shape{hidden}, dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  nn::uniform_(score_vector, -bound, bound);
}

Tensor Additive::prepare(const Tensor& keys) const {
  check_rows("additive", "keys", keys, key_projection.weight.size(1), score_vector.dtype());
  return key_projection(keys);
}

Tensor Additive::project(const Tensor& query, const Tensor& prepared) const {
  check_rows("additive", "query", query, query_projection.weight.size(1), score_vector.dtype());
  check_rows("additive", "prepared keys", prepared, score_vector.size(0), score_vector.dtype());
  return query_projection(query);
}

Tensor Additive::operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const {
  const Tensor q = unsqueeze(project(query, prepared), -2);  // [.., Q, 1, hidden]
  return forwarded(matmul(tanh(q + unsqueeze(prepared, -3)), score_vector));
}

Tensor Additive::context(const Tensor& query, const Tensor& prepared, const Tensor& values,
                         const Mask& mask, const Added& added, AttentionCall* call) const {
  const Tensor q = project(query, prepared);
  const Shape shape = scores_shape("additive", q, prepared);
  const AttentionOptions options = tiled_options("additive", shape, mask, added);
  if (call == nullptr) return additive_attention(q, prepared, score_vector, values, options);
  *call = {q, prepared, score_vector, options, Tensor()};
  return additive_attention(q, prepared, score_vector, values, options, &call->log_sums);
}

}  // namespace heed::attention
