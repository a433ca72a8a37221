#include "additive.h"

#include <cmath>

#include "../../nn/init.h"
#include "../detail/checks.h"

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

std::optional<Score::Form> Additive::form(const Tensor& query, const Tensor& prepared) const {
  check_rows("additive", "query", query, query_projection.weight.size(1), score_vector.dtype());
  check_rows("additive", "prepared keys", prepared, score_vector.size(0), score_vector.dtype());
  scores_shape("additive", query, prepared);
  return Form{.q = query_projection(query), .k = prepared, .vector = score_vector};
}

}  // namespace heed::attention
