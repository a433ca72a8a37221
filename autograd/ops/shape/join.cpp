#include "join.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/side_by_side.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "slicing.h"

namespace heed {
namespace {

std::vector<Shape> shapes_of(const std::vector<Array>& arrays) {
  std::vector<Shape> out;
  out.reserve(arrays.size());
  for (const Array& array : arrays) out.push_back(array.shape());
  return out;
}

// What these are the pieces of, where they lie side by side already; else undefined.
Array joined(const Gradients& g, Index place) {
  std::vector<Array> arrays;
  for (const Tensor& each : g) {
    if (!each.defined() || each.is_sparse()) return {};
    arrays.push_back(each.array());
  }
  return joined_in_place(arrays, place);
}

}  // namespace

Tensor concat(const std::vector<Tensor>& xs, Index axis) {
  check_defined("concat", xs, "xs");
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
  std::vector<Array> parts;
  for (const Tensor& x : xs) parts.push_back(x.array());
  kernels::join_into(out, parts, place);
  const std::vector<InputRef> inputs(xs.begin(), xs.end());
  say("axis", place);
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
  check_defined("stack", xs, "xs");
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
  std::vector<Array> parts;
  for (const Tensor& x : xs) parts.push_back(x.array().unsqueeze(place));
  kernels::join_into(out, parts, place);
  const std::vector<InputRef> inputs(xs.begin(), xs.end());
  say("axis", place);
  return record_joint(Op::stack, {out}, inputs,
                      [place](const Gradients& g, const std::vector<bool>& needs) {
                        Gradients grads(needs.size());
                        for (std::size_t i = 0; i < needs.size(); ++i) {
                          if (needs[i]) grads[i] = select(g[0], place, static_cast<Index>(i));
                        }
                        return grads;
                      })[0];
}

// The pieces' gradients are joined in one pass, if they have to be.
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& lengths, Index axis) {
  check_defined("split", x, "x");
  const Index place = normalize_axis("split", axis, x.rank());
  const Index size = x.size(place);
  Index start = 0;
  std::vector<Array> parts;
  for (const Index length : lengths) {
    if (length < 0 || length > size - start) {
      throw ShapeError(
          fmt::format("split: a length of {} from place {} is not within axis {} of {}", length,
                      start, axis, describe(x)));
    }
    parts.push_back(x.array().slice(place, start, start + length));
    start += length;
  }
  if (start != size) {
    throw ShapeError(fmt::format("split: the lengths sum to {}, axis {} of {} has {}", start, axis,
                                 describe(x), size));
  }
  if (parts.empty()) return {};
  say("axis", place, "lengths", lengths);
  return record_joint(Op::split, parts, {x},
                      [shapes = shapes_of(parts), dtype = widened(x.dtype()), place](
                          const Gradients& g, const std::vector<bool>&) {
                        if (!recording()) {
                          const Array whole = joined(g, place);
                          if (whole.defined()) return Gradients{whole};
                        }
                        std::vector<Tensor> whole = g;
                        for (std::size_t i = 0; i < whole.size(); ++i) {
                          if (!whole[i].defined())
                            whole[i] = Array::zeros(Shape{}, dtype).expand(shapes[i]);
                        }
                        return Gradients{concat(whole, place)};
                      });
}

// An axis of no places is one piece of none.
std::vector<Tensor> split(const Tensor& x, Index length, Index axis) {
  check_defined("split", x, "x");
  const Index place = normalize_axis("split", axis, x.rank());
  if (length <= 0) throw ValueError(fmt::format("split: length {} must be positive", length));
  const Index size = x.size(place);
  std::vector<Index> lengths;
  Index start = 0;
  do {
    lengths.push_back(std::min(length, size - start));
    start += lengths.back();
  } while (start < size);
  return split(x, lengths, place);
}

std::vector<Tensor> chunk(const Tensor& x, Index count, Index axis) {
  check_defined("chunk", x, "x");
  const Index place = normalize_axis("chunk", axis, x.rank());
  if (count <= 0) throw ValueError(fmt::format("chunk: {} pieces must be positive", count));
  const Index size = x.size(place);
  return split(x, std::max<Index>(1, size / count + (size % count != 0)), place);
}

std::vector<Tensor> unbind(const Tensor& x, Index axis) {
  check_defined("unbind", x, "x");
  const Index place = normalize_axis("unbind", axis, x.rank());
  std::vector<Tensor> out;
  for (Index i = 0; i < x.size(place); ++i) out.push_back(select(x, place, i));
  return out;
}

}  // namespace heed
