#include "sparse.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../../autograd/check_defined.h"
#include "../../autograd/grad_mode.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/index/index.h"
#include "../../autograd/ops/index/sort.h"
#include "../../autograd/ops/normalise/entmax.h"
#include "../../autograd/ops/normalise/softmax.h"
#include "../../autograd/ops/normalise/sparsemax.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../core/error.h"

namespace heed::attention {
namespace {

double checked_alpha(const EntmaxOptions& options) {
  if (!(options.alpha > 1) || !std::isfinite(options.alpha)) {
    throw ValueError(fmt::format("entmax: alpha {} must be above 1", options.alpha));
  }
  if (options.heads < 0) {
    throw ValueError(fmt::format("entmax: heads {} must not be negative", options.heads));
  }
  return options.alpha;
}

Tensor initial_excess(const EntmaxOptions& options) {
  if (!options.learned) return Tensor();
  const Shape shape = options.heads == 0 ? Shape{} : Shape{options.heads, 1, 1};
  return full(shape, std::log(options.alpha - 1), options.dtype);
}

}  // namespace

Tensor Sparsemax::operator()(const Tensor& scores, const Tensor& allowed, Index axis,
                             Tensor*) const {
  const Scope scope(*this);
  return forwarded(sparsemax(scores, axis, allowed));
}

Entmax::Entmax(const EntmaxOptions& options)
    : log_excess((checked_alpha(options), parameter("log_excess", initial_excess(options)))),
      alpha_(options.alpha) {}

Tensor Entmax::alpha() const {
  return log_excess.defined() ? exp(log_excess) + 1 : tensor(alpha_, DType::f64);
}

Tensor Entmax::operator()(const Tensor& scores, const Tensor& allowed, Index axis, Tensor*) const {
  const Scope scope(*this);
  if (!log_excess.defined()) return forwarded(entmax(scores, axis, alpha_, allowed));
  const bool features = axis == -2 && log_excess.rank() > 0;
  return forwarded(entmax(scores, axis, features ? unsqueeze(alpha(), -1) : alpha(), allowed));
}

TopK::TopK(Index k) : k_(k) {
  if (k <= 0) throw ValueError(fmt::format("top_k: k {} must be positive", k));
}

Tensor TopK::operator()(const Tensor& scores, const Tensor& allowed, Index axis, Tensor*) const {
  const Scope scope(*this);
  check_defined("top_k", scores, "scores");
  check_floating("top_k", scores.dtype());
  Tensor chosen;  // bool
  {
    const NoGrad off;
    constexpr double kLeast = -std::numeric_limits<double>::infinity();
    const Tensor candidates = allowed.defined() ? where(allowed, scores, kLeast) : scores;
    const Index k = std::min(k_, candidates.size(axis));
    const Tensor places = topk(candidates, k, axis).indices;
    const Tensor none = zeros(candidates.shape(), scores.dtype());
    chosen = scatter_add(none, axis, places, ones(places.shape(), scores.dtype())) > 0;
    if (allowed.defined()) chosen = logical_and(chosen, allowed);
  }
  return forwarded(softmax(scores, axis, chosen));
}

}  // namespace heed::attention
