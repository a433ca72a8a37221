#include "arrange.h"

#include <fmt/format.h>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/kernels/reduce/reduce.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "join.h"
#include "shape.h"
#include "slicing.h"

namespace heed {
namespace {

// Runs of `run` elements, each of them `repeats` times: a broadcast axis, copied where it must be.
Tensor repeat_runs(const char* op, const Tensor& x, Index run, Index repeats, Shape shape,
                   Index axis) {
  if (repeats < 0) throw ValueError(fmt::format("{}: {} times is negative", op, repeats));
  if (repeats == 1) return x;
  shape[axis] = checked_mul(op, shape[axis], repeats);
  const Index runs = run == 0 ? 0 : x.numel() / run;
  return reshape(expand(reshape(x, {runs, 1, run}), {runs, repeats, run}), shape);
}

// `out`, made of x, on memory of its own.
Tensor apart(const Tensor& out, const Tensor& x) {
  return out.array().shares_storage(x.array()) ? clone(out) : out;
}

// Elements from one place of `axis` to the next, in row-major order.
Index run_below(const Shape& shape, Index axis) {
  return Shape(shape.begin() + axis + 1, shape.rank() - axis - 1).numel();
}

}  // namespace

Tensor flip(const Tensor& x, const Axes& axes) {
  check_defined("flip", x, "x");
  const Index rank = x.rank();
  if (axes.empty()) return clone(x);
  const std::vector<Index> places = kernels::normalize_axes("flip", axes, rank);
  Array out = kernels::flip(x.array(), places);
  say("axes", places);
  return record(Op::flip, std::move(out), {x},
                [places](const Tensor& g) { return flip(g, places); });
}

Tensor roll(const Tensor& x, const Axes& shifts, const Axes& axes) {
  check_defined("roll", x, "x");
  if (axes.empty() && shifts.size() == 1) {
    return reshape(roll(reshape(x, {x.numel()}), shifts, {0}), x.shape());  // a copy by then
  }
  if (shifts.empty() || shifts.size() != axes.size()) {
    throw ValueError(fmt::format("roll: {} shifts for {} axes", shifts.size(), axes.size()));
  }
  for (const Index axis : axes) normalize_axis("roll", axis, x.rank());
  Tensor out = x;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Index size = x.size(axes[i]);
    if (size == 0) continue;
    const Index shift = (shifts[i] % size + size) % size;
    if (shift == 0) continue;
    out = concat({narrow(out, axes[i], size - shift, shift), narrow(out, axes[i], 0, size - shift)},
                 axes[i]);
  }
  return apart(out, x);
}

Tensor repeat(const Tensor& x, const std::vector<Index>& repeats) {
  check_defined("repeat", x, "x");
  const Index lead = static_cast<Index>(repeats.size()) - x.rank();
  if (lead < 0) {
    throw ShapeError(
        fmt::format("repeat: {} numbers of repeats for {}", repeats.size(), describe(x)));
  }
  Shape shape = Shape::filled(lead, 1);
  for (const Index size : x.shape()) shape.push_back(size);
  Index total = x.numel();
  for (const Index times : repeats) {
    if (times < 0) throw ValueError(fmt::format("repeat: {} times is negative", times));
    total = checked_mul("repeat", total, times);
  }
  Tensor out = reshape(x, shape);
  for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
    const Index run = checked_mul("repeat", run_below(out.shape(), axis), shape[axis]);
    out =
        repeat_runs("repeat", out, run, repeats[static_cast<std::size_t>(axis)], out.shape(), axis);
  }
  return apart(out, x);
}

Tensor tile(const Tensor& x, const std::vector<Index>& repeats) {
  check_defined("tile", x, "x");
  std::vector<Index> all(repeats);
  if (static_cast<Index>(all.size()) < x.rank()) {
    all.insert(all.begin(), static_cast<std::size_t>(x.rank()) - all.size(), 1);
  }
  return repeat(x, all);
}

Tensor repeat_interleave(const Tensor& x, Index repeats, Index axis) {
  check_defined("repeat_interleave", x, "x");
  const Index place = normalize_axis("repeat_interleave", axis, x.rank());
  const Index run = run_below(x.shape(), place);
  return apart(repeat_runs("repeat_interleave", x, run, repeats, x.shape(), place), x);
}

}  // namespace heed
