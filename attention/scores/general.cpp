#include "general.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/linalg/matmul.h"
#include "../../core/error.h"
#include "../../nn/init.h"
#include "../detail/checks.h"

namespace heed::attention {
namespace {

Shape checked(Index query_width, Index key_width) {
  if (query_width > 0 && key_width > 0) return {query_width, key_width};
  throw ValueError(
      fmt::format("general: widths {} and {} must be positive", query_width, key_width));
}

}  // namespace

General::General(Index query_width, Index key_width, DType dtype)
    : weight(parameter("weight", zeros(checked(query_width, key_width), dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(key_width));
  nn::uniform_(weight, -bound, bound);
}

// The query is taken to the keys: no key is projected, and the rest is a dot product.
std::optional<Score::Form> General::form(const Tensor& query, const Tensor& keys) const {
  check_rows("general", "query", query, weight.size(0), weight.dtype());
  check_rows("general", "keys", keys, weight.size(1), weight.dtype());
  scores_shape("general", query, keys);
  return Form{matmul(query, weight), keys};
}

}  // namespace heed::attention
