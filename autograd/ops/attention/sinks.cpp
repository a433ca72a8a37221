#include "sinks.h"

#include <limits>

#include "../../../core/kernels/reduce/finite.h"
#include "../elementwise/compare.h"
#include "../elementwise/elementwise.h"
#include "../normalise/softmax.h"
#include "../reduce/reduce.h"
#include "../shape/join.h"
#include "../shape/shape.h"

namespace heed {

ScoresBesideSinks beside_sinks(const Tensor& scores, const Tensor& allowed, const Tensor& sinks,
                               Index axis) {
  Shape one = scores.shape();
  one[scores.rank() + axis] = 1;
  Tensor sink = sinks;
  const Index own = axis == -2 ? 3 : 2;  // axes from Q on, which a row alone does not have
  for (Index i = 0; i < own && scores.rank() >= own; ++i) sink = unsqueeze(sink, -1);
  sink = expand(sink, one);
  ScoresBesideSinks out{concat({scores, sink}, axis), Tensor()};
  if (allowed.defined()) {
    out.allowed = concat({expand(allowed, scores.shape()), isfinite(sink.detach())}, axis);
  }
  return out;
}

Tensor but_hidden(const Tensor& allowed, const Tensor& x) {
  if (kernels::all_finite(x.array())) return allowed;
  const Tensor open = x != -std::numeric_limits<double>::infinity();
  return allowed.defined() ? logical_and(allowed, open) : open;
}

Tensor without_unseen(const Tensor& x, const Tensor& mask, Index axis) {
  if (!mask.defined()) return x;
  const Tensor seen = transpose(any(mask, {axis}, true), axis, -1);  // [.., rows, 1]
  return where(seen, x, tensor(0, x.dtype()));
}

Tensor log_sums_of(const Tensor& scores, const Tensor& allowed) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (scores.size(-1) == 0) {
    return zeros(Shape(scores.shape().begin(), scores.rank() - 1), scores.dtype()) + kNone;
  }
  if (!allowed.defined()) return logsumexp(scores, {-1});
  const Tensor may = expand(allowed, scores.shape());
  const Tensor some = any(may, {-1}, true);
  const Tensor seen = where(logical_or(may, logical_not(some)), where(some, scores, 0), kNone);
  return where(squeeze(some, -1), logsumexp(seen, {-1}), kNone);
}

}  // namespace heed
