#include "monotonic_energy.h"

#include <fmt/format.h>

#include <cmath>

#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../core/error.h"
#include "../../nn/init.h"
#include "../detail/checks.h"

namespace heed::attention {
namespace {

MonotonicEnergyOptions checked(const MonotonicEnergyOptions& o) {
  if (o.hidden > 0 && std::isfinite(o.offset)) return o;
  throw ValueError(fmt::format("monotonic_energy: hidden {} must be positive, offset {} finite",
                               o.hidden, o.offset));
}

}  // namespace

MonotonicEnergy::MonotonicEnergy(const MonotonicEnergyOptions& options)
    : query_projection(child<nn::Linear>("query_projection", options.query_width,
                                         checked(options).hidden, true, options.dtype)),
      key_projection(child<nn::Linear>("key_projection", options.key_width, options.hidden, false,
                                       options.dtype)),
      score_vector(parameter("score_vector", zeros(Shape{options.hidden}, options.dtype))),
      gain(parameter("gain", full(Shape{}, 1 / std::sqrt(static_cast<double>(options.hidden)),
                                  options.dtype))),
      offset(parameter("offset", full(Shape{}, options.offset, options.dtype))) {
  const double bound = 1 / std::sqrt(static_cast<double>(options.hidden));
  nn::uniform_(score_vector, -bound, bound);
}

Tensor MonotonicEnergy::prepare(const Tensor& keys) const {
  check_rows("monotonic_energy", "keys", keys, key_projection.weight.size(1), score_vector.dtype());
  return key_projection(keys);
}

Tensor MonotonicEnergy::operator()(const Tensor& query, const Tensor& prepared,
                                   const Tensor&) const {
  const Scope scope(*this);
  check_rows("monotonic_energy", "query", query, query_projection.weight.size(1),
             score_vector.dtype());
  check_rows("monotonic_energy", "prepared keys", prepared, score_vector.size(0),
             score_vector.dtype());
  scores_shape("monotonic_energy", query, prepared);
  const Tensor size = sqrt(sum(score_vector * score_vector));
  const Form form{
      .q = query_projection(query), .k = prepared, .vector = score_vector * (gain / size)};
  return forwarded(scores_of("monotonic_energy", form) + offset);
}

}  // namespace heed::attention
