#include "softmax.h"

#include <limits>

#include "../../../core/kernels/normalise/softmax.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../reduce/reduce.h"

namespace heed {
namespace {

// Whether a place takes part, in a pass that is recorded: 0 times infinity or NaN is no 0.
// Undefined where all do, as in most calls.
Tensor part_of(const Array& y, double never) {
  const Tensor some = Tensor(y) != never;
  return all(some) ? Tensor() : some;
}

}  // namespace

// gx = y (g - sum(g y))
Tensor softmax(const Tensor& x, Index axis, const Tensor& mask) {
  check_defined("softmax", x, "x");
  const Array y = kernels::softmax(x.array(), axis, mask.defined() ? mask.array() : Array(), false);
  say("axis", axis, "mask", mask.defined() ? mask.array() : Array());
  return record(Op::softmax, y, {x}, [y = SavedOutput(y), axis](const Tensor& g) {
    if (!recording()) return Tensor(kernels::softmax_grad(g.array(), y.array(), axis, false));
    const Tensor out = y(), some = part_of(y.array(), 0);
    if (!some.defined()) return out * (g - sum(g * out, {axis}, true));
    const Tensor inside = where(some, g, 0);
    return where(some, out * (inside - sum(inside * out, {axis}, true)), 0);
  });
}

// gx = g - exp(y) sum(g)
Tensor log_softmax(const Tensor& x, Index axis) {
  check_defined("log_softmax", x, "x");
  const Array y = kernels::softmax(x.array(), axis, Array(), true);
  say("axis", axis);
  return record(Op::log_softmax, y, {x}, [y = SavedOutput(y), axis](const Tensor& g) {
    if (!recording()) return Tensor(kernels::softmax_grad(g.array(), y.array(), axis, true));
    const Tensor out = y();
    const Tensor some = part_of(y.array(), -std::numeric_limits<double>::infinity());
    if (!some.defined()) return g - exp(out) * sum(g, {axis}, true);
    const Tensor inside = where(some, g, 0);
    return where(some, inside - exp(out) * sum(inside, {axis}, true), 0);
  });
}

}  // namespace heed
