#include "shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/kernels/copy.h"
#include "../record.h"
#include "elementwise.h"

namespace heed {
namespace {

// Zeros of `shape` with g in the places that slice() would read.
Tensor slice_scatter(const Tensor& g, const Shape& shape, Index axis, Index start, Index stop,
                     Index step) {
  Array out = Array::zeros(shape, g.dtype());
  Array place = out.slice(axis, start, stop, step);
  kernels::copy_into(place, g.array());
  return record(Op::slice_scatter, out, {g},
                [=](const Tensor& gg) { return slice(gg, axis, start, stop, step); });
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  return record(Op::reshape, x.array().reshape(shape), {x},
                [before = x.shape()](const Tensor& g) { return reshape(g, before); });
}

Tensor flatten(const Tensor& x, Index first, Index last) {
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

Tensor transpose(const Tensor& x, Index a, Index b) {
  return record(Op::transpose, x.array().transpose(a, b), {x},
                [a, b](const Tensor& g) { return transpose(g, a, b); });
}

Tensor permute(const Tensor& x, const std::vector<Index>& axes) {
  Array out = x.array().permute(axes);
  std::vector<Index> back(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    back[static_cast<std::size_t>(normalize_axis("permute", axes[i], x.rank()))] =
        static_cast<Index>(i);
  }
  return record(Op::permute, out, {x},
                [back = std::move(back)](const Tensor& g) { return permute(g, back); });
}

// The engine sums the gradient back to x's shape.
Tensor expand(const Tensor& x, const Shape& shape) {
  return record(Op::expand, x.array().expand(shape), {x}, [](const Tensor& g) { return g; });
}

Tensor slice(const Tensor& x, Index axis, Index start, Index stop, Index step) {
  return record(Op::slice, x.array().slice(axis, start, stop, step), {x},
                [=, before = x.shape()](const Tensor& g) {
                  return slice_scatter(g, before, axis, start, stop, step);
                });
}

Tensor narrow(const Tensor& x, Index axis, Index start, Index length) {
  const Index size = x.size(normalize_axis("narrow", axis, x.rank()));
  if (start < 0 || length < 0 || start > size || length > size - start) {
    throw IndexError(fmt::format("narrow: {} places from {} leave axis {} of {}", length, start,
                                 axis, describe(x)));
  }
  return slice(x, axis, start, start + length);
}

Tensor select(const Tensor& x, Index axis, Index index) {
  Array out = x.array().select(axis, index);
  const Index place = index < 0 ? index + x.size(axis) : index;
  return record(Op::select, out, {x}, [axis, place, before = x.shape()](const Tensor& g) {
    const Index at = normalize_axis("select", axis, before.rank());
    return slice_scatter(unsqueeze(g, at), before, at, place, place + 1, 1);
  });
}

Tensor squeeze(const Tensor& x, Index axis) {
  const Array out = x.array().squeeze(axis);
  const Index place = normalize_axis("squeeze", axis, x.rank());
  return record(Op::squeeze, out, {x}, [place](const Tensor& g) { return unsqueeze(g, place); });
}

Tensor unsqueeze(const Tensor& x, Index axis) {
  const Array out = x.array().unsqueeze(axis);
  const Index place = normalize_axis("unsqueeze", axis, out.rank());
  return record(Op::unsqueeze, out, {x}, [place](const Tensor& g) { return squeeze(g, place); });
}

Tensor concat(const std::vector<Tensor>& xs, Index axis) {
  if (xs.empty()) throw ShapeError("concat: needs at least one tensor");
  const Array& first = xs[0].array();
  const Index place = normalize_axis("concat", axis, first.rank());
  Shape shape = first.shape();
  shape[place] = 0;
  std::vector<Index> lengths;
  for (const Tensor& x : xs) {
    if (x.dtype() != first.dtype()) {
      throw DTypeError(
          fmt::format("concat: dtypes differ: {} beside {}", describe(x), describe(first)));
    }
    Shape beside = x.shape();
    if (beside.rank() == shape.rank()) {
      lengths.push_back(beside[place]);
      beside[place] = shape[place];
    }
    if (!(beside == shape)) {
      throw ShapeError(fmt::format("concat: {} and {} must agree on all axes but {}", describe(x),
                                   describe(first), place));
    }
    if (__builtin_add_overflow(shape[place], lengths.back(), &shape[place])) {
      throw ShapeError(fmt::format("concat: the sizes of axis {} overflow 64 bits", place));
    }
  }
  Array out = Array::empty(shape, first.dtype());
  Index start = 0;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    Array part = out.slice(place, start, start + lengths[i]);
    kernels::copy_into(part, xs[i].array());
    start += lengths[i];
  }
  const std::vector<InputRef> inputs(xs.begin(), xs.end());
  return record_joint(Op::concat, {out}, inputs,
                      [lengths, place](const Gradients& g, const std::vector<bool>& needs) {
                        Gradients grads(needs.size());
                        Index from = 0;
                        for (std::size_t i = 0; i < needs.size(); ++i) {
                          if (needs[i]) grads[i] = narrow(g[0], place, from, lengths[i]);
                          from += lengths[i];
                        }
                        return grads;
                      })[0];
}

Tensor stack(const std::vector<Tensor>& xs, Index axis) {
  if (xs.empty()) throw ShapeError("stack: needs at least one tensor");
  const Array& first = xs[0].array();
  const Index place = normalize_axis("stack", axis, first.rank() + 1);
  for (const Tensor& x : xs) {
    if (x.dtype() != first.dtype()) {
      throw DTypeError(
          fmt::format("stack: dtypes differ: {} beside {}", describe(x), describe(first)));
    }
    if (!(x.shape() == first.shape())) {
      throw ShapeError(
          fmt::format("stack: shapes differ: {} beside {}", describe(x), describe(first)));
    }
  }
  const auto count = static_cast<Index>(xs.size());
  Array out = Array::empty(first.shape().with(place, count), first.dtype());
  for (Index i = 0; i < count; ++i) {
    Array part = out.select(place, i);
    kernels::copy_into(part, xs[static_cast<std::size_t>(i)].array());
  }
  const std::vector<InputRef> inputs(xs.begin(), xs.end());
  return record_joint(Op::stack, {out}, inputs,
                      [place](const Gradients& g, const std::vector<bool>& needs) {
                        Gradients grads(needs.size());
                        for (std::size_t i = 0; i < needs.size(); ++i) {
                          if (needs[i]) grads[i] = select(g[0], place, static_cast<Index>(i));
                        }
                        return grads;
                      })[0];
}

std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& lengths, Index axis) {
  const Index place = normalize_axis("split", axis, x.rank());
  Index start = 0;
  std::vector<Tensor> parts;
  for (const Index length : lengths) {
    parts.push_back(narrow(x, place, start, length));
    start += length;
  }
  if (start != x.size(place)) {
    throw ShapeError(fmt::format("split: the lengths sum to {}, axis {} of {} has {}", start, axis,
                                 describe(x), x.size(place)));
  }
  return parts;
}

Tensor to(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Array out = x.array().to(dtype);
  if (!is_floating(dtype) || !is_floating(x.dtype())) return out;
  return record(Op::to, out, {x}, [before = x.dtype()](const Tensor& g) { return to(g, before); });
}

Tensor clone(const Tensor& x) {
  return record(Op::clone, x.array().clone(), {x}, [](const Tensor& g) { return g; });
}

Tensor contiguous(const Tensor& x) { return x.array().is_contiguous() ? x : clone(x); }

}  // namespace heed
