#include "prepared_score.h"

#include <fmt/format.h>

#include <limits>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise.h"
#include "../../autograd/ops/reduce.h"
#include "../../core/error.h"
#include "../finite.h"

namespace heed::attention {

Tensor PreparedScore::operator()(const Tensor& query, const Tensor& prepared, const Tensor&) const {
  return score_(query, prepared, last_);
}

Tensor PreparedScore::context(const Tensor& query, const Tensor& prepared, const Tensor& values,
                              const Mask& mask, const Tensor& bias, AttentionCall* call) const {
  if (last_.defined()) return Tensor();
  return score_.context(query, prepared, values, mask, bias, call);
}

Tensor prepare_keys(const Score& score, const Tensor& keys) {
  if (!score.prepares()) return keys;
  const FinitePart finite = finite_part(keys);
  const Tensor prepared = score.prepare(finite.x);
  if (!finite.bad.defined()) return prepared;
  return where(any(finite.bad, {-1}, true), std::numeric_limits<double>::quiet_NaN(), prepared);
}

void check_batch(const char* op, const char* what, const Tensor& x) {
  check_defined(op, x, what);
  if (x.rank() == 3) return;
  throw ShapeError(fmt::format("{}: {} must be [B, n, width], not {}", op, what, describe(x)));
}

}  // namespace heed::attention
