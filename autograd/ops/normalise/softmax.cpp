#include "softmax.h"

#include "../../../core/kernels/normalise/softmax.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"

namespace heed {

// gx = y (g - sum(g y))
Tensor softmax(const Tensor& x, Index axis, const Tensor& mask) {
  check_defined("softmax", x, "x");
  const Array y = kernels::softmax(x.array(), axis, mask.defined() ? mask.array() : Array(), false);
  say("axis", axis, "mask", mask.defined() ? mask.array() : Array());
  const bool masked = mask.defined();
  return record(Op::softmax, y, {x}, [y = SavedOutput(y), axis, masked](const Tensor& g) {
    if (!recording()) return Tensor(kernels::softmax_grad(g.array(), y.array(), axis, false));
    const Tensor out = y();
    if (!masked) return out * (g - sum(g * out, {axis}, true));
    const Tensor zero = tensor(0, out.dtype());
    const Tensor some = Tensor(y.array()) != zero;  // 0 times NaN is no 0
    const Tensor inside = where(some, g, zero);
    return where(some, out * (inside - sum(inside * out, {axis}, true)), zero);
  });
}

// gx = g - exp(y) sum(g)
Tensor log_softmax(const Tensor& x, Index axis) {
  check_defined("log_softmax", x, "x");
  const Array y = kernels::softmax(x.array(), axis, Array(), true);
  say("axis", axis);
  return record(Op::log_softmax, y, {x}, [y = SavedOutput(y), axis](const Tensor& g) {
    if (!recording()) return Tensor(kernels::softmax_grad(g.array(), y.array(), axis, true));
    return g - exp(y()) * sum(g, {axis}, true);
  });
}

}  // namespace heed
