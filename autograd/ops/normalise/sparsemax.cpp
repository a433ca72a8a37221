#include "sparsemax.h"

#include "../../../core/kernels/normalise/entmax.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"

namespace heed {

// gx = s (g - sum(s g) / sum(s)), s = 1 on the support, which is taken as fixed; NaN where y is.
Tensor sparsemax(const Tensor& x, Index axis, const Tensor& mask) {
  check_defined("sparsemax", x, "x");
  const Array two = Array::full(Shape{}, 2, x.dtype());
  const Array y =
      kernels::entmax("sparsemax", x.array(), axis, two, mask.defined() ? mask.array() : Array());
  say("axis", axis, "mask", mask.defined() ? mask.array() : Array());
  return record(Op::sparsemax, y, {x}, [y = SavedOutput(y), axis, two](const Tensor& g) {
    if (!recording()) return Tensor(kernels::entmax_grad(g.array(), y.array(), axis, two).x);
    const Tensor p(y.array());
    const Tensor zero = tensor(0, p.dtype());
    const Tensor support = p != zero;
    const Tensor s = where(support, p / p, zero);
    const Tensor count = maximum(sum(s, {axis}, true), tensor(1, p.dtype()));
    const Tensor inside = where(support, g, zero);
    return where(support, s * (inside - sum(inside, {axis}, true) / count), zero);
  });
}

}  // namespace heed
