#include "unfold.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/kernels/elementwise/elementwise.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"

namespace heed {
namespace {

// How many windows an axis of `length` has.
Index count_windows(const char* op, Index length, Index size, Index step) {
  if (size <= 0 || step <= 0) {
    throw ValueError(
        fmt::format("{}: window size {} and step {} must be positive", op, size, step));
  }
  if (size > length) {
    throw ShapeError(fmt::format("{}: a window of {} in an axis of {}", op, size, length));
  }
  return (length - size) / step + 1;
}

// Both kernels take an `axis` that is not negative and sizes that were checked.
Array windows(const Array& x, Index axis, Index count, Index size, Index step) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape[axis] = count;
  shape.push_back(size);
  strides.push_back(strides[axis]);
  if (count > 1) strides[axis] *= step;
  return x.as_strided(shape, strides);
}

// One place of all windows at a time: those of one place never overlap.
Array sum_windows(const Array& x, Index axis, Index length, Index step) {
  const Index count = x.shape()[axis];
  const Index size = x.shape()[x.rank() - 1];
  Shape shape = x.shape().without(x.rank() - 1);
  shape[axis] = length;
  Array out = Array::zeros(shape, x.dtype());
  if (step >= size) {
    Array place = windows(out, axis, count, size, step);
    kernels::copy_into(place, x);
    return out;
  }
  for (Index k = 0; k < size; ++k) {
    Array place = out.slice(axis, k, k + (count - 1) * step + 1, step);
    kernels::add_into(place, x.select(-1, k));
  }
  return out;
}

}  // namespace

Tensor unfold(const Tensor& x, Index axis, Index size, Index step) {
  check_defined("unfold", x, "x");
  const Index place = normalize_axis("unfold", axis, x.rank());
  const Index length = x.size(place);
  const Index count = count_windows("unfold", length, size, step);
  Array out = windows(x.array(), place, count, size, step);
  say("axis", place, "size", size, "step", step);
  return record(Op::unfold, std::move(out), {x},
                [=](const Tensor& g) { return overlap_add(g, place, length, step); });
}

Tensor overlap_add(const Tensor& x, Index axis, Index length, Index step) {
  check_defined("overlap_add", x, "x");
  check_floating("overlap_add", x.dtype());
  const Index place = normalize_axis("overlap_add", axis, x.rank() - 1);
  const Index size = x.size(-1);
  const Index count = count_windows("overlap_add", length, size, step);
  if (count != x.size(place)) {
    throw ShapeError(fmt::format("overlap_add: {} has {} windows; a length of {} needs {}",
                                 describe(x), x.size(place), length, count));
  }
  Array out = sum_windows(x.array(), place, length, step);
  say("axis", place, "step", step);
  return record(Op::overlap_add, std::move(out), {x},
                [=](const Tensor& g) { return unfold(g, place, size, step); });
}

}  // namespace heed
