#include "cumulative.h"

#include "../../../core/error.h"
#include "../../../core/kernels/reduce/cumulative.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"

namespace heed {
namespace {

// gx_t = g_t + g_{t+1} + ...: the same sum, run the other way.
Tensor running_sum(const Tensor& x, Index axis, bool reverse) {
  Array out = kernels::cumsum(x.array(), axis, reverse);
  say("axis", axis, "reverse", reverse);
  return record(Op::cumsum, std::move(out), {x},
                [axis, reverse](const Tensor& g) { return running_sum(g, axis, !reverse); });
}

Tensor zeros_at_one_place(const Tensor& x, Index axis) {
  Shape shape = x.shape();
  shape[axis] = 1;
  return zeros(shape, x.dtype());
}

// Every place takes its neighbour's number, the last one before it or (`ahead`) after it; 0 where
// there is none.
Tensor neighbour(const Tensor& x, Index axis, bool ahead) {
  if (x.size(axis) == 0) return x;
  const Tensor rest = narrow(x, axis, ahead ? 1 : 0, x.size(axis) - 1);
  const Tensor none = zeros_at_one_place(x, axis);
  return ahead ? concat({rest, none}, axis) : concat({none, rest}, axis);
}

}  // namespace

Tensor cumsum(const Tensor& x, Index axis) {
  check_defined("cumsum", x, "x");
  if (x.dtype() == DType::boolean) return cumsum(to(x, DType::i64), axis);
  return running_sum(x, axis, false);
}

Tensor cumprod(const Tensor& x, Index axis) {
  check_defined("cumprod", x, "x");
  axis = normalize_axis("cumprod", axis, x.rank());
  check_floating("cumprod", x.dtype());
  if (x.size(axis) == 0) return clone(x);
  Shape rest = x.shape();
  rest[axis] -= 1;
  return linear_scan(x, concat({narrow(x, axis, 0, 1), zeros(rest, x.dtype())}, axis), axis);
}

// r_t = g_t + a_{t+1} r_{t+1};  gb = r;  ga_t = r_t h_{t-1}
Tensor linear_scan(const Tensor& a, const Tensor& b, Index axis, bool reverse) {
  check_defined("linear_scan", a, "a", b, "b");
  const Shape shape = broadcast_shapes("linear_scan", a.shape(), b.shape());
  if (!(a.shape() == shape) || !(b.shape() == shape)) {
    return linear_scan(expand(a, shape), expand(b, shape), axis, reverse);
  }
  const Array h = kernels::linear_scan(a.array(), b.array(), axis, reverse);
  const Index place = normalize_axis("linear_scan", axis, shape.rank());
  say("axis", place, "reverse", reverse);
  return record_joint(
      Op::linear_scan, {h}, {a, b},
      [a = Saved(a), h = SavedOutput(h), place, reverse](const Gradients& g,
                                                         const std::vector<bool>& needs) {
        const Tensor r = linear_scan(neighbour(a(), place, !reverse), g[0], place, !reverse);
        return Gradients{needs[0] ? r * neighbour(h(), place, reverse) : Tensor(), r};
      })[0];
}

}  // namespace heed
