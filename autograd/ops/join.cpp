#include "join.h"

#include <fmt/format.h>

#include <algorithm>

#include "../../core/error.h"
#include "../../core/kernels/copy.h"
#include "../check_defined.h"
#include "../record.h"
#include "slicing.h"

namespace heed {

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
  check_defined("split", x, "x");
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

// An axis of no places is one piece of none.
std::vector<Tensor> split(const Tensor& x, Index length, Index axis) {
  check_defined("split", x, "x");
  const Index place = normalize_axis("split", axis, x.rank());
  if (length <= 0) throw ValueError(fmt::format("split: length {} must be positive", length));
  const Index size = x.size(place);
  std::vector<Tensor> parts;
  Index start = 0;
  do {
    parts.push_back(narrow(x, place, start, std::min(length, size - start)));
    start += parts.back().size(place);
  } while (start < size);
  return parts;
}

std::vector<Tensor> chunk(const Tensor& x, Index count, Index axis) {
  check_defined("chunk", x, "x");
  const Index place = normalize_axis("chunk", axis, x.rank());
  if (count <= 0) throw ValueError(fmt::format("chunk: {} pieces must be positive", count));
  const Index size = x.size(place);
  return split(x, std::max<Index>(1, size / count + (size % count != 0)), place);
}

}  // namespace heed
