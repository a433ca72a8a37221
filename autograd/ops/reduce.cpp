#include "reduce.h"

#include <fmt/format.h>

#include "../../core/error.h"
#include "../../core/kernels/elementwise.h"
#include "../../core/kernels/reduce.h"
#include "../record.h"
#include "elementwise.h"
#include "shape.h"

namespace heed {
namespace {

// The shape that a result without keepdim has with it, so that it broadcasts against x.
Shape kept_shape(const char* op, const Tensor& x, const std::vector<Index>& axes) {
  Shape shape = x.shape();
  for (const Index axis : kernels::normalize_axes(op, axes, x.rank())) shape[axis] = 1;
  return shape;
}

// gx: g where x equals the extreme, shared among equals.
Tensor extreme(Op op, kernels::Reduce kind, const Tensor& x, const std::vector<Index>& axes,
               bool keepdim) {
  const Array y = kernels::reduce(kind, x.array(), axes, keepdim);
  return record(
      op, y, {x},
      [x = Saved(x), y = SavedOutput(y), kept = kept_shape(name(op), x, axes)](const Tensor& g) {
        const Tensor top = Tensor(y.array().reshape(kept));
        const Tensor hit = (x().detach() == top).array().to(g.dtype());
        const Tensor share = hit / Tensor(kernels::sum_to(hit.array(), kept));
        return reshape(g, kept) * share;
      });
}

}  // namespace

Tensor sum(const Tensor& x, const std::vector<Index>& axes, bool keepdim) {
  const Shape kept = kept_shape("sum", x, axes);
  return record(
      Op::sum, kernels::reduce(kernels::Reduce::sum, x.array(), axes, keepdim), {x},
      [kept, whole = x.shape()](const Tensor& g) { return expand(reshape(g, kept), whole); });
}

Tensor mean(const Tensor& x, const std::vector<Index>& axes, bool keepdim) {
  check_floating("mean", x.dtype());
  const Shape kept = kept_shape("mean", x, axes);
  if (x.numel() == 0) {
    throw ShapeError(fmt::format("mean: no elements to reduce in {}", describe(x)));
  }
  const double count = static_cast<double>(x.numel()) / static_cast<double>(kept.numel());
  Array out = kernels::reduce(kernels::Reduce::sum, x.array(), axes, keepdim);
  if (out.shares_storage(x.array())) out = out.clone();
  kernels::scale_into(out, 1 / count);
  return record(Op::mean, out, {x}, [kept, whole = x.shape(), count](const Tensor& g) {
    return expand(reshape(g / count, kept), whole);
  });
}

Tensor amax(const Tensor& x, const std::vector<Index>& axes, bool keepdim) {
  return extreme(Op::amax, kernels::Reduce::max, x, axes, keepdim);
}

Tensor amin(const Tensor& x, const std::vector<Index>& axes, bool keepdim) {
  return extreme(Op::amin, kernels::Reduce::min, x, axes, keepdim);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (!(broadcast_shapes("sum_to", shape, x.shape()) == x.shape())) {
    throw ShapeError(
        fmt::format("sum_to: {} does not broadcast to {}", to_string(shape), describe(x)));
  }
  return record(Op::sum_to, kernels::sum_to(x.array(), shape), {x},
                [whole = x.shape()](const Tensor& g) { return expand(g, whole); });
}

Tensor argmax(const Tensor& x, Index axis, bool keepdim) {
  return kernels::argmax(x.array(), axis, keepdim);
}

}  // namespace heed
