#include "shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../computed.h"
#include "../../record.h"

namespace heed {

Tensor reshape(const Tensor& x, const Shape& shape) {
  check_defined("reshape", x, "x");
  return record(Op::reshape, x.array().reshape(shape), {x},
                [before = x.shape()](const Tensor& g) { return reshape(g, before); });
}

Tensor view(const Tensor& x, const Shape& shape) {
  check_defined("view", x, "x");
  return record(Op::reshape, x.array().view(shape), {x},
                [before = x.shape()](const Tensor& g) { return reshape(g, before); });
}

Tensor flatten(const Tensor& x, Index first, Index last) {
  check_defined("flatten", x, "x");
  if (x.rank() == 0) return reshape(x, Shape{1});
  first = normalize_axis("flatten", first, x.rank());
  last = normalize_axis("flatten", last, x.rank());
  if (first > last) {
    throw ShapeError(fmt::format("flatten: first axis {} comes after last axis {}", first, last));
  }
  Shape shape;
  Index joined = 1;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (axis >= first && axis <= last) {
      joined = checked_mul("flatten", joined, x.shape()[axis]);
      if (axis == last) shape.push_back(joined);
    } else {
      shape.push_back(x.shape()[axis]);
    }
  }
  return reshape(x, shape);
}

Shape detail::unflattened(const char* op, const Shape& shape, Index axis, const Shape& sizes) {
  const Index place = normalize_axis(op, axis, shape.rank());
  Shape cut = sizes;
  Index* const hole = std::find(cut.begin(), cut.end(), -1);
  if (hole != cut.end()) {
    *hole = 1;
    const Index known = cut.numel();
    *hole = known > 0 ? shape[place] / known : -1;
  }
  const bool negative = std::any_of(cut.begin(), cut.end(), [](Index size) { return size < 0; });
  if (cut.rank() == 0 || negative || cut.numel() != shape[place]) {
    throw ShapeError(fmt::format("{}: axis {} of {} cannot be cut into {}", op, axis,
                                 to_string(shape), to_string(sizes)));
  }
  Shape out = shape.without(place);
  for (Index i = 0; i < cut.rank(); ++i) out = out.with(place + i, cut[i]);
  return out;
}

Tensor transpose(const Tensor& x, Index a, Index b) {
  check_defined("transpose", x, "x");
  Array out = x.array().transpose(a, b);
  say("a", a, "b", b);
  return record(Op::transpose, std::move(out), {x},
                [a, b](const Tensor& g) { return transpose(g, a, b); });
}

Tensor t(const Tensor& x) {
  check_defined("t", x, "x");
  if (x.rank() > 2) {
    throw ShapeError(fmt::format(
        "t: {} is no matrix: transpose(x, a, b) swaps two axes, x.mT() the last two", describe(x)));
  }
  return x.rank() < 2 ? x : transpose(x, 0, 1);
}

Tensor permute(const Tensor& x, const std::vector<Index>& axes) {
  check_defined("permute", x, "x");
  Array out = x.array().permute(axes);
  std::vector<Index> back(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    back[static_cast<std::size_t>(normalize_axis("permute", axes[i], x.rank()))] =
        static_cast<Index>(i);
  }
  say("axes", axes);
  return record(Op::permute, out, {x},
                [back = std::move(back)](const Tensor& g) { return permute(g, back); });
}

// The engine sums the gradient back to x's shape.
Tensor expand(const Tensor& x, const Shape& wanted) {
  check_defined("expand", x, "x");
  Shape shape = wanted;
  const Index lead = shape.rank() - x.rank();
  for (Index axis = std::max<Index>(lead, 0); axis < shape.rank(); ++axis) {
    if (shape[axis] == -1) shape[axis] = x.shape()[axis - lead];
  }
  return record(Op::expand, x.array().expand(shape), {x}, [](const Tensor& g) { return g; });
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  check_defined("broadcast_to", x, "x");
  return expand(x, shape);
}

Tensor squeeze(const Tensor& x, Index axis) {
  check_defined("squeeze", x, "x");
  const Index place = normalize_axis("squeeze", axis, x.rank());
  if (x.shape()[place] != 1) return x;
  Array out = x.array().squeeze(place);
  say("axis", place);
  return record(Op::squeeze, std::move(out), {x},
                [place](const Tensor& g) { return unsqueeze(g, place); });
}

Tensor squeeze(const Tensor& x, const std::vector<Index>& axes) {
  check_defined("squeeze", x, "x");
  std::vector<bool> named(static_cast<std::size_t>(x.rank()));
  for (const Index axis : axes) {
    const Index place = normalize_axis("squeeze", axis, x.rank());
    if (named[static_cast<std::size_t>(place)]) {
      throw ShapeError(fmt::format("squeeze: axis {} is named twice", axis));
    }
    named[static_cast<std::size_t>(place)] = true;
  }
  Tensor out = x;
  for (Index place = x.rank() - 1; place >= 0; --place) {
    if (named[static_cast<std::size_t>(place)]) out = squeeze(out, place);
  }
  return out;
}

Tensor squeeze(const Tensor& x) {
  check_defined("squeeze", x, "x");
  Tensor out = x;
  for (Index place = x.rank() - 1; place >= 0; --place) {
    if (x.shape()[place] == 1) out = squeeze(out, place);
  }
  return out;
}

Tensor unsqueeze(const Tensor& x, Index axis) {
  check_defined("unsqueeze", x, "x");
  const Array out = x.array().unsqueeze(axis);
  const Index place = normalize_axis("unsqueeze", axis, out.rank());
  say("axis", place);
  return record(Op::unsqueeze, out, {x}, [place](const Tensor& g) { return squeeze(g, place); });
}

Tensor to(const Tensor& x, DType dtype) {
  check_defined("to", x, "x");
  if (x.dtype() == dtype) return x;
  Array out = x.array().to(dtype);
  if (!is_floating(dtype) || !is_floating(x.dtype())) return computed("to", std::move(out), {x});
  return record(Op::to, out, {x},
                [before = widened(x.dtype())](const Tensor& g) { return to(g, before); });
}

Tensor clone(const Tensor& x) {
  check_defined("clone", x, "x");
  return record(Op::clone, x.array().clone(), {x}, [](const Tensor& g) { return g; });
}

Tensor contiguous(const Tensor& x) {
  check_defined("contiguous", x, "x");
  return x.array().is_contiguous() ? x : clone(x);
}

}  // namespace heed
