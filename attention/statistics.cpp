#include "statistics.h"

#include "../autograd/grad_mode.h"
#include "../autograd/ops/elementwise/elementwise.h"
#include "../autograd/ops/index/index.h"
#include "../autograd/ops/reduce/reduce.h"
#include "../autograd/ops/shape/shape.h"
#include "../core/error.h"

namespace heed::attention {

void AttentionStatistics::check() const {
  if (weights_.defined() || call_.q.defined()) return;
  throw GradError("attention_statistics: of nothing: Terms::need_statistics was not set");
}

AttentionStatistics AttentionStatistics::side_by_side() const {
  AttentionStatistics out = *this;
  out.grouped_ = true;
  return out;
}

Tensor AttentionStatistics::shaped(const Tensor& x) const {
  return grouped_ ? flatten(x, 1, 2) : x;
}

Tensor AttentionStatistics::rows(const Tensor& queries) const {
  check();
  const NoGrad scope;
  return shaped(weights_.defined() ? index_select(weights_, -2, queries)
                                   : attention_weights(call_, queries));
}

Tensor AttentionStatistics::received() const {
  check();
  const NoGrad scope;
  return shaped(weights_.defined() ? sum(weights_, {-2}) : attention_received(call_));
}

Tensor AttentionStatistics::entropies() const {
  check();
  const NoGrad scope;
  if (!weights_.defined()) return shaped(attention_entropy(call_));
  return shaped(-sum(weights_ * log(where(weights_ > 0, weights_, 1)), {-1}));
}

}  // namespace heed::attention
