#include "gaussian.h"

#include <fmt/format.h>

#include "../../autograd/check_defined.h"
#include "../../autograd/ops/elementwise/elementwise.h"
#include "../../autograd/ops/reduce/reduce.h"
#include "../../autograd/ops/shape/shape.h"
#include "../../autograd/ops/shape/slicing.h"
#include "../../core/error.h"
#include "../detail/checks.h"

namespace heed::attention {

Tensor Gaussian::operator()(const Tensor& query, const Tensor& keys, const Tensor& past) const {
  return among(query, keys, Tensor(), past);
}

// A masked square that overflows would meet a gradient of 0.
Tensor Gaussian::among(const Tensor& query, const Tensor& keys, const Tensor& allowed,
                       const Tensor&) const {
  const Scope scope(*this);
  check_defined("gaussian", query, "query", keys, "keys");
  scores_shape("gaussian", query, keys);
  const Index d = keys.size(-1);
  check_rows("gaussian", "query", query, d + 1, keys.dtype());
  const Tensor m = unsqueeze(narrow(query, -1, 0, d), -2);  // [.., Q, 1, d]
  const Tensor precision = exp(-narrow(query, -1, d, 1));   // [.., Q, 1]
  Tensor squares = sum(square(m - unsqueeze(keys, -3)), {-1});
  if (allowed.defined()) squares = where(allowed, squares, 0);
  return forwarded(-0.5 * precision * squares);
}

}  // namespace heed::attention
