#include "prepared_score.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../core/error.h"

namespace heed::attention {

Tensor PreparedScore::operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const {
  return score_(query, prepared, last_);
}

Tensor PreparedScore::context(const Tensor& query, const Tensor& prepared, const Tensor& values,
                              const Mask& mask, const Tensor& bias, AttentionCall* call) const {
  if (last_.defined()) return Tensor();
  return score_.context(query, prepared, values, mask, bias, call);
}

void check_batch(const char* op, const char* what, const Tensor& x) {
  check_defined(op, x, what);
  if (x.rank() == 3) return;
  throw ShapeError(fmt::format("{}: {} must be [B, n, width], not {}", op, what, describe(x)));
}

}  // namespace heed::attention
