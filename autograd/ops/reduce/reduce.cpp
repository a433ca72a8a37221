#include "reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/kernels/reduce/extreme.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../computed.h"
#include "../../record.h"
#include "../elementwise/elementwise.h"
#include "../shape/shape.h"
#include "cumulative.h"

namespace heed {
namespace {

// The shape that a result without keepdim has with it, so that it broadcasts against x.
Shape kept_shape(const char* op, const Tensor& x, const std::vector<Index>& axes) {
  return kernels::reduced_shape(x.shape(), kernels::normalize_axes(op, axes, x.rank()), true);
}

// x with `axes` gone, and one axis of all their places behind the rest.
struct Rows {
  std::vector<Index> order;  ///< kept axes, then reduced ones
  Shape apart, joined;       ///< permuted; with the reduced axes as one

  Rows(const Shape& shape, const std::vector<Index>& axes) {
    for (Index axis = 0; axis < shape.rank(); ++axis) {
      if (std::binary_search(axes.begin(), axes.end(), axis)) continue;
      order.push_back(axis);
      joined.push_back(shape[axis]);
    }
    Index width = 1;
    for (const Index axis : axes) {
      order.push_back(axis);
      width *= shape[axis];
    }
    joined.push_back(width);
    for (const Index axis : order) apart.push_back(shape[axis]);
  }
  Tensor from(const Tensor& x) const { return reshape(permute(x, order), joined); }
  Tensor back(const Tensor& rows) const {
    std::vector<Index> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      inverse[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
    }
    return permute(reshape(rows, apart), inverse);
  }
};

// The product of a row's elements before each, or after: p_t = x_{t-1} p_{t-1}, from 1.
Tensor product_beside(const Tensor& rows, bool after) {
  const Index axis = rows.rank() - 1;
  const Index size = rows.size(axis);
  Shape edge = rows.shape();
  edge[axis] = 1;
  const Tensor one = ones(edge, rows.dtype());
  const Tensor rest = narrow(rows, axis, after ? 1 : 0, size - 1);
  const Tensor factors = after ? concat({rest, one}, axis) : concat({one, rest}, axis);
  Array start = Array::zeros(Shape{size}, rows.dtype());
  Array first = start.slice(0, after ? size - 1 : 0, after ? size : 1);
  kernels::fill(first, 1);
  return linear_scan(factors, Tensor(start), axis, after);
}

void say_axes(const Tensor& x, const std::vector<Index>& axes, bool keepdim) {
  if (traced()) say("axes", kernels::normalize_axes("say", axes, x.rank()), "keepdim", keepdim);
}

// Whether `axes` are the last ones of x, and its elements lie in their order.
bool reduces_rows(const Array& x, const std::vector<Index>& axes) {
  if (!x.is_contiguous()) return false;
  Index first = x.rank();
  for (const Index axis : axes) first = std::min(first, axis < 0 ? axis + x.rank() : axis);
  return axes.empty() || x.rank() - first == static_cast<Index>(axes.size());
}

// gx: g where x equals the extreme, shared among equals.
Tensor extreme(Op op, kernels::Reduce kind, const Tensor& x, const std::vector<Index>& axes,
               bool keepdim) {
  check_defined(name(op), x, "x");
  const Array y = kernels::reduce(kind, x.array(), axes, keepdim);
  say_axes(x, axes, keepdim);
  return record(op, y, {x},
                [x = Saved(x), y = SavedOutput(y), kept = kept_shape(name(op), x, axes),
                 rows = reduces_rows(x.array(), axes)](const Tensor& g) {
                  if (rows && !recording()) {
                    return Tensor(kernels::extreme_grad(x().array(), y.array(), g.array()));
                  }
                  const Tensor top = Tensor(y.array().reshape(kept));
                  const Tensor hit = (x().detach() == top).array().to(g.dtype());
                  const Tensor share = hit / Tensor(kernels::sum_to(hit.array(), kept));
                  return reshape(g, kept) * share;
                });
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("sum", x, "x");
  const Shape kept = kept_shape("sum", x, axes);
  Array out = kernels::reduce(kernels::Reduce::sum, x.array(), axes, keepdim);
  say_axes(x, axes, keepdim);
  return record(Op::sum, std::move(out), {x}, [kept, whole = x.shape()](const Tensor& g) {
    return expand(reshape(g, kept), whole);
  });
}

Tensor mean(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("mean", x, "x");
  if (!is_floating(x.dtype())) {
    throw DTypeError(fmt::format(
        "mean: takes f32 or f64, not {}: convert first, mean(to(x, DType::f32))", name(x.dtype())));
  }
  const Shape kept = kept_shape("mean", x, axes);
  if (x.numel() == 0 && kept.numel() > 0) {
    throw ShapeError(fmt::format("mean: no elements to reduce in {}", describe(x)));
  }
  const double count =
      kept.numel() == 0 ? 1 : static_cast<double>(x.numel()) / static_cast<double>(kept.numel());
  Array out = kernels::reduce(kernels::Reduce::sum, x.array(), axes, keepdim);
  if (out.shares_storage(x.array())) out = out.clone();
  kernels::binary_into(kernels::Binary::div, out, Array::full({}, count, out.dtype()));
  say_axes(x, axes, keepdim);
  return record(Op::mean, out, {x}, [kept, whole = x.shape(), count](const Tensor& g) {
    return expand(reshape(g / count, kept), whole);
  });
}

// gx_i = g times the product of all others
Tensor prod(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("prod", x, "x");
  const std::vector<Index> places = kernels::normalize_axes("prod", axes, x.rank());
  Array out = kernels::reduce(kernels::Reduce::prod, x.array(), axes, keepdim);
  say_axes(x, axes, keepdim);
  return record(Op::prod, std::move(out), {x},
                [x = Saved(x), kept = kept_shape("prod", x, axes), places](const Tensor& g) {
                  if (x().numel() == 0) return expand(reshape(g, kept), x().shape());
                  const Rows layout(x().shape(), places);
                  const Tensor rows = layout.from(x());
                  const Tensor others = product_beside(rows, false) * product_beside(rows, true);
                  return reshape(g, kept) * layout.back(others);
                });
}

// gx = g exp(x - y)
Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("logsumexp", x, "x");
  const Shape kept = kept_shape("logsumexp", x, axes);
  check_floating("logsumexp", x.dtype());
  // Infinite numbers are not to be subtracted from each other.
  const auto finite = [](const Tensor& top) {
    const Tensor infinite = abs(top) == tensor(INFINITY, top.dtype());
    return masked_fill(top, infinite, 0);
  };
  const bool nothing = x.numel() == 0 && kept.numel() > 0;
  const Tensor from = x.detach();
  const Tensor top = nothing ? zeros(kept, x.dtype()) : finite(amax(from, axes, true));
  const Tensor out = log(sum(exp(from - top), axes, true)) + top;
  const Shape shape = kernels::reduced_shape(
      x.shape(), kernels::normalize_axes("logsumexp", axes, x.rank()), keepdim);
  const Array y = out.array().reshape(shape);
  say_axes(x, axes, keepdim);
  return record(Op::logsumexp, y, {x}, [x = Saved(x), y = SavedOutput(y), kept](const Tensor& g) {
    const Tensor total = y();
    const Tensor none = total == tensor(-INFINITY, g.dtype());
    return reshape(g, kept) * exp(x() - reshape(masked_fill(total, none, 0), kept));
  });
}

Tensor amax(const Tensor& x, const Axes& axes, bool keepdim) {
  return extreme(Op::amax, kernels::Reduce::max, x, axes, keepdim);
}

Tensor amin(const Tensor& x, const Axes& axes, bool keepdim) {
  return extreme(Op::amin, kernels::Reduce::min, x, axes, keepdim);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  check_defined("sum_to", x, "x");
  if (!(broadcast_shapes("sum_to", shape, x.shape()) == x.shape())) {
    throw ShapeError(
        fmt::format("sum_to: {} does not broadcast to {}", to_string(shape), describe(x)));
  }
  return record(Op::sum_to, kernels::sum_to(x.array(), shape), {x},
                [whole = x.shape()](const Tensor& g) { return expand(g, whole); });
}

Tensor argmax(const Tensor& x, Index axis, bool keepdim) {
  check_defined("argmax", x, "x");
  Array out = kernels::argmax(x.array(), axis, keepdim);
  say("axis", axis, "keepdim", keepdim);
  return computed("argmax", std::move(out), {x});
}

Tensor argmax(const Tensor& x) {
  check_defined("argmax", x, "x");
  return argmax(reshape(x, Shape{x.numel()}), 0);
}

Tensor argmin(const Tensor& x, Index axis, bool keepdim) {
  check_defined("argmin", x, "x");
  Array out = kernels::argmin(x.array(), axis, keepdim);
  say("axis", axis, "keepdim", keepdim);
  return computed("argmin", std::move(out), {x});
}

Tensor argmin(const Tensor& x) {
  check_defined("argmin", x, "x");
  return argmin(reshape(x, Shape{x.numel()}), 0);
}

Tensor all(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("all", x, "x");
  Array out = kernels::all(x.array(), axes, keepdim);
  say_axes(x, axes, keepdim);
  return computed("all", std::move(out), {x});
}

Tensor any(const Tensor& x, const Axes& axes, bool keepdim) {
  check_defined("any", x, "x");
  Array out = kernels::any(x.array(), axes, keepdim);
  say_axes(x, axes, keepdim);
  return computed("any", std::move(out), {x});
}

}  // namespace heed
