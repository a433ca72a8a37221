#include "prepared_score.h"

namespace heed::attention {

Tensor PreparedScore::operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const {
  return score_(query, prepared, last_);
}

Tensor PreparedScore::context(const Tensor& query, const Tensor& prepared, const Tensor& values,
                              const Mask& mask, const Added& added, AttentionCall* call) const {
  if (last_.defined()) return Tensor();
  return score_.context(query, prepared, values, mask, added, call);
}

}  // namespace heed::attention
