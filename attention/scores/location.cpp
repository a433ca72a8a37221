#include "location.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/linalg/matmul.h"
#include "../../autograd/ops/shape/pad.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"
#include "../../core/traced.h"
#include "../../nn/init.h"
#include "../detail/checks.h"

namespace heed::attention {
namespace {

LocationAwareOptions checked(const LocationAwareOptions& options) {
  if (options.kernel > 0 && options.kernel % 2 == 1) return options;
  throw ValueError(
      fmt::format("location_aware: kernel {} must be positive and odd", options.kernel));
}

Shape checked(Index query_width, Index max_keys) {
  if (query_width > 0 && max_keys > 0) return {max_keys, query_width};
  throw ValueError(fmt::format("location_based: query width {} and max_keys {} must be positive",
                               query_width, max_keys));
}

}  // namespace

LocationBased::LocationBased(Index query_width, Index max_keys, DType dtype)
    : weight(parameter("weight", zeros(checked(query_width, max_keys), dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(query_width));
  nn::uniform_(weight, -bound, bound);
}

// As keys of a dot product.
Tensor LocationBased::prepare(const Tensor& keys) const {
  check_defined("location_based", keys, "keys");
  if (keys.rank() < 2) {
    throw ShapeError("location_based: keys must be [.., K, dk], not " + describe(keys));
  }
  const Index K = keys.size(-2), known = std::min(K, weight.size(0));
  if (traced()) {  // what holds for any number of keys
    Shape all = keys.shape();
    all[all.rank() - 1] = weight.size(1);
    return expand(narrow(pad(weight, {0, 0, 0, K}), 0, 0, K), all);
  }
  Tensor rows = narrow(weight, 0, 0, known);
  if (known < K) rows = pad(rows, {0, 0, 0, K - known});
  Shape shape = keys.shape();
  shape[shape.rank() - 1] = weight.size(1);
  return expand(rows, shape);
}

std::optional<Score::Form> LocationBased::form(const Tensor& query, const Tensor& prepared) const {
  check_rows("location_based", "query", query, weight.size(1), weight.dtype());
  check_rows("location_based", "prepared keys", prepared, weight.size(1), weight.dtype());
  scores_shape("location_based", query, prepared);
  return Form{query, prepared};
}

LocationAware::LocationAware(const LocationAwareOptions& options)
    : query_projection(child<nn::Linear>("query_projection", checked(options).query_width,
                                         options.hidden, true, options.dtype)),
      key_projection(child<nn::Linear>("key_projection", options.key_width, options.hidden, false,
                                       options.dtype)),
      location(child<nn::Conv1d>("location", 1, options.filters, options.kernel,
                                 Conv1dOptions{.padding = options.kernel / 2}, false,
                                 options.dtype)),
      location_projection(child<nn::Linear>("location_projection", options.filters, options.hidden,
                                            false, options.dtype)),
      score_vector(parameter("score_vector", zeros(Shape{options.hidden}, options.dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(options.hidden));
  nn::uniform_(score_vector, -bound, bound);
}

Tensor LocationAware::prepare(const Tensor& keys) const {
  check_rows("location_aware", "keys", keys, key_projection.weight.size(1), score_vector.dtype());
  return key_projection(keys);
}

Tensor LocationAware::operator()(const Tensor& query, const Tensor& prepared,
                                 const Tensor& past) const {
  const Scope scope(*this);
  const DType dtype = score_vector.dtype();
  check_rows("location_aware", "query", query, query_projection.weight.size(1), dtype);
  check_rows("location_aware", "prepared keys", prepared, score_vector.size(0), dtype);
  const Shape shape = scores_shape("location_aware", query, prepared);
  Tensor inside = unsqueeze(query_projection(query), -2) + unsqueeze(prepared, -3);
  if (past.defined() && past.numel() > 0) {
    const Index keys = shape[shape.rank() - 1], places = past.size(-1);
    const Index kernel = location.weight.size(2);
    const bool beside = places == keys + kernel - 1;
    check_rows("location_aware", "last weights", past, beside ? places : keys, dtype);
    Tensor features = location(reshape(past, Shape{past.numel() / places, 1, places}));
    if (beside) features = narrow(features, 2, kernel / 2, keys);
    Shape each = past.shape();
    each[each.rank() - 1] = keys;
    each.push_back(features.size(1));
    inside = inside + location_projection(reshape(transpose(features, 1, 2), each));
  }
  return forwarded(matmul(tanh(inside), score_vector));
}

}  // namespace heed::attention
