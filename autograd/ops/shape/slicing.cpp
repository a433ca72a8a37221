#include "slicing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "../../../core/error.h"
#include "../../../core/kernels/elementwise/copy.h"
#include "../../../core/quoted.h"
#include "../../../core/traced.h"
#include "../../check_defined.h"
#include "../../record.h"
#include "../index/mask_index.h"
#include "shape.h"

namespace heed {
namespace {

// Zeros of `shape` with g in the places that slice() would read.
Tensor slice_scatter(const Tensor& g, const Shape& shape, Index axis, Index start, Index stop,
                     Index step) {
  Array out = Array::zeros(shape, g.dtype());
  Array place = out.slice(axis, start, stop, step);
  kernels::copy_into(place, g.array());
  say("axis", axis, "start", start, "stop", stop, "step", step);
  return record(Op::slice_scatter, out, {g},
                [=](const Tensor& gg) { return slice(gg, axis, start, stop, step); });
}

// The diagonal as a view; axis1 and axis2 are two axes of x, not negative.
Array diagonal_of(const Array& x, Index offset, Index axis1, Index axis2) {
  const Index rows = x.shape()[axis1];
  const Index columns = x.shape()[axis2];
  // Beyond a corner there is nothing; the clamp keeps what follows within 64 bits.
  offset = std::clamp(offset, -rows, columns);
  const Array from = offset >= 0 ? x.slice(axis2, offset, columns) : x.slice(axis1, -offset, rows);
  const Index last = std::max(axis1, axis2);
  const Index first = std::min(axis1, axis2);
  Shape shape = from.shape().without(last).without(first);
  Strides strides = from.strides().without(last).without(first);
  shape.push_back(std::min(from.shape()[axis1], from.shape()[axis2]));
  strides.push_back(x.strides()[axis1] + x.strides()[axis2]);
  return from.as_strided(shape, strides);
}

// Zeros of `shape` with g in the places that diagonal() would read.
Tensor diagonal_scatter(const Tensor& g, const Shape& shape, Index offset, Index axis1,
                        Index axis2) {
  Array out = Array::zeros(shape, g.dtype());
  Array place = diagonal_of(out, offset, axis1, axis2);
  kernels::copy_into(place, g.array());
  say("offset", offset, "axis1", axis1, "axis2", axis2);
  return record(Op::diagonal_scatter, out, {g},
                [=](const Tensor& gg) { return diagonal(gg, offset, axis1, axis2); });
}

// How many axes of x an entry names.
Index axes_of(const IndexEntry& entry) {
  using Kind = IndexEntry::Kind;
  if (entry.kind == Kind::tensor && entry.tensor.dtype() == DType::boolean) {
    return entry.tensor.rank();
  }
  return entry.kind == Kind::place || entry.kind == Kind::slice || entry.kind == Kind::tensor;
}

}  // namespace

Tensor slice(const Tensor& x, Index axis, Index start, Index stop, Index step) {
  check_defined("slice", x, "x");
  Array out = x.array().slice(axis, start, stop, step);
  say("axis", axis, "start", start, "stop", stop, "step", step);
  return record(Op::slice, std::move(out), {x}, [=, before = x.shape()](const Tensor& g) {
    return slice_scatter(g, before, axis, start, stop, step);
  });
}

Tensor narrow(const Tensor& x, Index axis, Index start, Index length) {
  check_defined("narrow", x, "x");
  const Index size = x.size(normalize_axis("narrow", axis, x.rank()));
  const Index from = start < 0 ? start + size : start;
  if (from < 0 || length < 0 || from > size || length > size - from) {
    throw IndexError(fmt::format("narrow: {} places from {} leave axis {} of {}", length, start,
                                 axis, describe(x)));
  }
  return slice(x, axis, from, from + length);
}

Tensor select(const Tensor& x, Index axis, Index index) {
  check_defined("select", x, "x");
  Array out = x.array().select(axis, index);
  const Index place = index < 0 ? index + x.size(axis) : index;
  say("axis", axis, "index", place);
  return record(Op::select, out, {x}, [axis, place, before = x.shape()](const Tensor& g) {
    const Index at = normalize_axis("select", axis, before.rank());
    return slice_scatter(unsqueeze(g, at), before, at, place, place + 1, 1);
  });
}

Tensor diagonal(const Tensor& x, Index offset, Index axis1, Index axis2) {
  check_defined("diagonal", x, "x");
  const Index first = normalize_axis("diagonal", axis1, x.rank());
  const Index second = normalize_axis("diagonal", axis2, x.rank());
  if (first == second) {
    throw ShapeError(
        fmt::format("diagonal: axes {} and {} of {} are the same", axis1, axis2, describe(x)));
  }
  Array out = diagonal_of(x.array(), offset, first, second);
  say("offset", offset, "axis1", first, "axis2", second);
  return record(Op::diagonal, std::move(out), {x}, [=, before = x.shape()](const Tensor& g) {
    return diagonal_scatter(g, before, offset, first, second);
  });
}

Tensor diag_embed(const Tensor& x, Index offset) {
  check_defined("diag_embed", x, "x");
  const Index last = normalize_axis("diag_embed", -1, x.rank());
  Shape shape = x.shape();
  Index beside = offset;
  if ((offset < 0 && __builtin_sub_overflow(Index{0}, offset, &beside)) ||
      __builtin_add_overflow(shape[last], beside, &shape[last])) {
    throw ShapeError(fmt::format("diag_embed: offset {} overflows 64 bits", offset));
  }
  shape.push_back(shape[last]);
  return diagonal_scatter(x, shape, offset, last, last + 1);
}

IndexEntry::IndexEntry(const char* dots) : kind(Kind::ellipsis) {
  if (std::string_view(dots) != "...") {
    throw IndexError(
        fmt::format("index: an entry is {}: the only text is \"...\"", in_quotes(dots)));
  }
}

IndexedPlaces indexed_places(const Tensor& x, const std::vector<IndexEntry>& entries) {
  check_defined("index", x, "x");
  using Kind = IndexEntry::Kind;
  Index named = 0, ellipses = 0;
  for (const IndexEntry& entry : entries) {
    if (entry.kind == Kind::tensor && !entry.tensor.defined()) {
      detail::throw_undefined("index", fmt::format("indices[{}]", &entry - entries.data()).c_str());
    }
    named += axes_of(entry);
    ellipses += entry.kind == Kind::ellipsis;
  }
  const bool tensors = std::all_of(entries.begin(), entries.end(), [](const IndexEntry& entry) {
    return entry.kind == Kind::tensor;
  });
  if (named > x.rank() && !tensors) {  // of tensors alone index() of tensors says it
    throw IndexError(fmt::format("index: {} entries for the axes of {}", named, describe(x)));
  }
  if (ellipses > 1) throw IndexError("index: more than one ellipsis");
  IndexedPlaces out{x, {}};
  std::vector<Index> order, others;  // axes of `out.of` that tensors answer for, and the others
  Index axis = 0;                    // of `out.of`, where the next entry applies
  Index last = -1;                   // where the last tensor's axes ended
  bool neighbours = true;
  const auto pass = [&](Index count) {
    for (; count > 0; --count) others.push_back(axis++);
  };
  for (const IndexEntry& entry : entries) {
    switch (entry.kind) {
      case Kind::place: out.of = select(out.of, axis, entry.range.start); break;
      case Kind::slice:
        out.of = slice(out.of, axis, entry.range.start, entry.range.stop, entry.range.step);
        pass(1);
        break;
      case Kind::ellipsis: pass(x.rank() - named); break;
      case Kind::new_axis:
        out.of = unsqueeze(out.of, axis);
        pass(1);
        break;
      case Kind::tensor:
        if (out.places.empty()) out.behind = static_cast<Index>(others.size());
        neighbours = neighbours && (out.places.empty() || last == axis);
        for (Index i = axes_of(entry); i > 0; --i) order.push_back(axis++);
        last = axis;
        out.places.push_back(entry.tensor);
        break;
    }
  }
  if (out.places.empty()) return out;
  pass(out.of.rank() - axis);
  if (!neighbours) out.behind = 0;
  order.insert(order.end(), others.begin(), others.end());
  if (!std::is_sorted(order.begin(), order.end())) out.of = permute(out.of, order);
  for (const Tensor& places : out.places) {
    out.rank =
        std::max<Index>(out.rank, places.dtype() == DType::boolean ? Index{1} : places.rank());
  }
  return out;
}

Tensor index(const Tensor& x, const std::vector<IndexEntry>& entries) {
  const IndexedPlaces at = indexed_places(x, entries);
  return at.places.empty() ? at.of : at.back(index(at.of, at.places));
}

Tensor IndexedPlaces::back(const Tensor& chosen) const {
  if (behind == 0) return chosen;
  std::vector<Index> order;
  for (Index i = 0; i < behind; ++i) order.push_back(rank + i);
  for (Index i = 0; i < rank; ++i) order.push_back(i);
  for (Index i = rank + behind; i < chosen.rank(); ++i) order.push_back(i);
  return permute(chosen, order);
}

Tensor IndexedPlaces::front(const Tensor& values) const {
  if (behind == 0) return values;
  std::vector<Index> order;
  for (Index i = 0; i < rank; ++i) order.push_back(behind + i);
  for (Index i = 0; i < behind; ++i) order.push_back(i);
  for (Index i = rank + behind; i < values.rank(); ++i) order.push_back(i);
  return permute(values, order);
}

}  // namespace heed
