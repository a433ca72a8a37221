#include "sinkhorn.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../../autograd/ops/elementwise/elementwise.h"
#include "../../../autograd/ops/reduce/reduce.h"
#include "../../../autograd/ops/shape/shape.h"
#include "../../../core/error.h"

namespace heed::attention {

Sinkhorn::Sinkhorn(const SinkhornOptions& options) : options_(options) {
  if (options.iterations <= 0) {
    throw ValueError(fmt::format("sinkhorn: iterations {} must be positive", options.iterations));
  }
  if (!(options.temperature > 0 && std::isfinite(options.temperature))) {
    throw ValueError(fmt::format("sinkhorn: temperature {} must be positive", options.temperature));
  }
}

// Columns sum to 1 on the way: that they should be Q / K is undone by the rows, which come last.
Tensor Sinkhorn::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                            Tensor*) const {
  const Scope scope(*this);
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const Index keys = axis < 0 ? axis + scores.rank() : axis, queries = keys - 1;
  Tensor log_k = scores * (1 / options_.temperature);
  Tensor rows, columns;  // those in which something is allowed
  if (allowed.defined()) {
    const Tensor may = expand(allowed, scores.shape());
    log_k = where(may, log_k, kNone);
    rows = any(may, {keys}, true);
    columns = any(may, {queries}, true);
  }
  const auto divided = [](const Tensor& x, Index along, const Tensor& there) {
    const Tensor sums = logsumexp(x, {along}, true);
    return x - (there.defined() ? where(there, sums, 0) : sums);
  };
  if (scores.numel() == 0) return forwarded(exp(log_k));
  for (Index i = 0; i < options_.iterations; ++i) {
    log_k = divided(log_k, queries, columns);
    log_k = divided(log_k, keys, rows);
  }
  return forwarded(exp(log_k));
}

}  // namespace heed::attention
