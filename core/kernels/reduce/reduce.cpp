#include "reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../error.h"
#include "../../parallel.h"
#include "../elementwise/elementwise_simd.h"
#include "../elementwise/integer.h"
#include "../elementwise/iterate.h"
#include "reduce_simd.h"

namespace heed::kernels {
namespace {

constexpr const char* kNames[] = {"sum", "amax", "amin", "prod"};
constexpr Binary kSteps[] = {Binary::add, Binary::maximum, Binary::minimum, Binary::mul};

template <class T>
T identity(Reduce op) {
  if (op == Reduce::sum) return T{0};
  if (op == Reduce::prod) return T{1};
  const T infinity = std::numeric_limits<T>::infinity();
  return op == Reduce::max ? -infinity : infinity;
}

// x seen as kept axes times reduced axes, each coalesced by Walk.
struct Split {
  Shape kept, reduced;
  Strides kept_steps, reduced_steps;

  Split(const Array& x, const std::vector<Index>& axes) {
    for (Index axis = 0; axis < x.rank(); ++axis) {
      if (x.shape()[axis] == 1) continue;
      const bool goes = std::binary_search(axes.begin(), axes.end(), axis);
      (goes ? reduced : kept).push_back(x.shape()[axis]);
      (goes ? reduced_steps : kept_steps).push_back(x.strides()[axis]);
    }
  }
};

// Each output element from its own elements, which lie along runs. Sums may go to doubles.
template <class T, class To>
void reduce_rows(Reduce op, const T* from, To* to, const Split& split, const Strides& out_steps) {
  const Walk<2> outer(split.kept, {&out_steps, &split.kept_steps});
  const Walk<1> inner(split.reduced, {&split.reduced_steps});
  const Index step = inner.inner_step(0);
  const bool one_run = step == 1 && inner.inner_size() == split.reduced.numel();
  outer.run(
      [&](const auto& at, Index n) {
        if constexpr (std::is_same_v<T, To>) {
          if (one_run) {
            simd::reductions<T>().reduce_rows(op, from + at[1], outer.inner_step(1),
                                              static_cast<std::size_t>(inner.inner_size()),
                                              to + at[0], outer.inner_step(0), n);
            return;
          }
        }
        for (Index i = 0; i < n; ++i) {
          const T* base = from + at[1] + i * outer.inner_step(1);
          To& place = to[at[0] + i * outer.inner_step(0)];
          double sum = 0;
          T other = identity<T>(op);
          inner.run_here([&](const auto& run, Index count) {
            const auto length = static_cast<std::size_t>(count);
            if (op == Reduce::sum) {
              sum += simd::reductions<T>().sum(base + run[0], step, length);
              return;
            }
            const T part = simd::reductions<T>().reduce(op, base + run[0], step, length);
            simd::elements<T>().binary(kSteps[static_cast<int>(op)], &other, true, &part, true,
                                       &other, 1);
          });
          place = op == Reduce::sum ? static_cast<To>(sum) : static_cast<To>(other);
        }
      },
      split.reduced.numel());
}

constexpr Index kNarrowest = 512;  // columns that a thread takes: fewer would waste its vectors
constexpr Index kBlock = 512;

// Some of the columns, beginning at `from`, `step` apart: run after run of x is added to them.
template <class T, class To>
void sum_block(const T* from, Index step, Index width, const Walk<1>& inner, To* to,
               Index to_step) {
  double sums[kBlock] = {};
  inner.run_here([&](const auto& place, Index count) {
    const T* run = from + place[0];
    if (step == 1)
      return simd::reductions<T>().add_rows(run, inner.inner_step(0), count, width, sums);
    for (Index r = 0; r < count; ++r, run += inner.inner_step(0)) {
      for (Index i = 0; i < width; ++i) sums[i] += static_cast<double>(run[i * step]);
    }
  });
  for (Index i = 0; i < width; ++i) to[i * to_step] = static_cast<To>(sums[i]);
}

template <class T>
void reduce_block(Reduce op, const T* from, Index step, Index width, const Walk<1>& inner, T* to,
                  Index to_step) {
  T results[kBlock];
  T gathered[kBlock];
  std::fill_n(results, width, identity<T>(op));
  inner.run_here([&](const auto& place, Index count) {
    for (Index r = 0; r < count; ++r) {
      const T* run = from + place[0] + r * inner.inner_step(0);
      if (step != 1) {
        for (Index i = 0; i < width; ++i) gathered[i] = run[i * step];
        run = gathered;
      }
      simd::elements<T>().binary(kSteps[static_cast<int>(op)], results, true, run, true, results,
                                 static_cast<std::size_t>(width));
    }
  });
  for (Index i = 0; i < width; ++i) to[i * to_step] = results[i];
}

// Whole runs of output elements at a time.
template <class T, class To>
void reduce_columns(Reduce op, const T* from, To* to, const Split& split,
                    const Strides& out_steps) {
  const Walk<2> outer(split.kept, {&out_steps, &split.kept_steps});
  const Walk<1> inner(split.reduced, {&split.reduced_steps});
  const Index out_step = outer.inner_step(0);
  const Index step = outer.inner_step(1);
  outer.run(
      [&](const auto& at, Index n) {
        for (Index first = 0; first < n; first += kBlock) {
          const Index width = std::min(kBlock, n - first);
          const T* const block = from + at[1] + first * step;
          To* const results = to + at[0] + first * out_step;
          if constexpr (std::is_same_v<T, To>) {
            if (op != Reduce::sum) {
              reduce_block(op, block, step, width, inner, results, out_step);
              continue;
            }
          }
          sum_block(block, step, width, inner, results, out_step);
        }
      },
      std::min(split.reduced.numel(), kGrain / kNarrowest));
}

bool has_unit_step(const Strides& steps) {
  return std::find(steps.begin(), steps.end(), 1) != steps.end();
}

bool along_rows(const Split& split) {
  return has_unit_step(split.reduced_steps) || !has_unit_step(split.kept_steps);
}

// Reduces into `to`, which has the kept axes' sizes; sums of floats also into doubles.
template <class T, class To>
void reduce_here(Reduce op, const Array& x, const Split& split, To* to) {
  const Strides out_steps = row_major(split.kept);
  if (along_rows(split)) {
    reduce_rows(op, x.data<T>(), to, split, out_steps);
  } else {
    reduce_columns(op, x.data<T>(), to, split, out_steps);
  }
}

// An axis in so many pieces of so many places.
struct Cut {
  Index axis, piece, count;
};
constexpr Index kMostPieces = 64;
constexpr Index kLines = 1024;  // elements, of whole lines

// The axis is the one that a piece should lie together along, where it is long enough, else the
// longest.
Cut cut_of(const Array& x, const std::vector<Index>& axes) {
  Index out = -1;
  bool is_long = false;
  for (const Index axis : axes) {
    const bool longer = out < 0 || x.shape()[axis] > x.shape()[out];
    const bool farther = out < 0 || x.strides()[axis] > x.strides()[out];
    const bool enough = x.shape()[axis] >= kMostPieces;
    if (is_long ? enough && farther : enough || longer) out = axis;
    is_long |= enough;
  }
  const Index length = x.shape()[out];
  const Index per = x.numel() / length;  // elements for each place on that axis
  Index piece = std::max(std::max<Index>(1, 2 * kGrain / per), (length - 1) / kMostPieces + 1);
  // In an array that begins with a line of a cache so do pieces: a vector out of two lines comes
  // slower from memory.
  if (x.strides()[out] == 1 && piece >= kLines && length > 2 * kLines) {
    piece = (piece + kLines - 1) / kLines * kLines;
  }
  return {out, piece, (length - 1) / piece + 1};
}

// Partial results over the pieces, then over these.
template <class T, class Part>
void reduce_pieces(Reduce op, const Array& x, const std::vector<Index>& axes, const Cut& cut,
                   Index kept, T* to) {
  Array parts = Array::empty(Shape{cut.count, kept}, dtype_of<Part>);
  Part* const part = parts.mutable_data<Part>();
  parallel_for(cut.count, 1, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p) {
      const Index stop = std::min(x.shape()[cut.axis], (p + 1) * cut.piece);
      const Array some = x.slice(cut.axis, p * cut.piece, stop);
      reduce_here<T>(op, some, Split(some, axes), part + p * kept);
    }
  });
  Split rest(parts, {0});
  rest.kept = Shape{kept};
  rest.kept_steps = Strides{1};
  reduce_columns(op, part, to, rest, row_major(rest.kept));
}

template <class T>
void reduce_into(Reduce op, const Array& x, const std::vector<Index>& axes, T* to) {
  const Split split(x, axes);
  const Index kept = split.kept.numel();
  // Few results of many elements go by pieces. Whole rows at a time are also how memory is read
  // best where the sums run down the columns.
  if (x.numel() > 2 * kGrain &&
      (kept * 8 < split.reduced.numel() || (!along_rows(split) && kept <= kGrain / 4))) {
    const Cut cut = cut_of(x, axes);
    if (cut.count > 1) {
      const auto by_pieces = op == Reduce::sum ? reduce_pieces<T, double> : reduce_pieces<T, T>;
      return by_pieces(op, x, axes, cut, kept, to);
    }
  }
  reduce_here<T>(op, x, split, to);
}

}  // namespace

Shape reduced_shape(const Shape& shape, const std::vector<Index>& axes, bool keepdim) {
  Shape out;
  for (Index axis = 0; axis < shape.rank(); ++axis) {
    if (!std::binary_search(axes.begin(), axes.end(), axis)) {
      out.push_back(shape[axis]);
    } else if (keepdim) {
      out.push_back(1);
    }
  }
  return out;
}

std::vector<Index> normalize_axes(const char* op, const std::vector<Index>& axes, Index rank) {
  std::vector<Index> out;
  out.reserve(axes.size());
  for (const Index axis : axes) out.push_back(normalize_axis(op, axis, rank));
  if (axes.empty()) {
    for (Index axis = 0; axis < rank; ++axis) out.push_back(axis);
  }
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    throw ShapeError(
        fmt::format("{}: axis {} is named twice", op, *std::adjacent_find(out.begin(), out.end())));
  }
  return out;
}

Array reduce(Reduce op, const Array& x, const std::vector<Index>& axes, bool keepdim) {
  if (x.dtype() == DType::bf16) return reduce(op, x.widened(), axes, keepdim);
  const char* op_name = kNames[static_cast<int>(op)];
  const std::vector<Index> places = normalize_axes(op_name, axes, x.rank());
  if (!is_floating(x.dtype())) return integer_reduce(op, x, places, keepdim);
  return visit_floating(op_name, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Shape shape = reduced_shape(x.shape(), places, keepdim);
    if (shape.numel() > 0 && x.numel() == 0) {
      if (op == Reduce::max || op == Reduce::min) {
        throw ShapeError(fmt::format("{}: no elements to reduce in {}", op_name, describe(x)));
      }
      return Array::full(shape, double{identity<T>(op)}, x.dtype());
    }
    Array out = Array::empty(shape, x.dtype());
    if (out.numel() > 0) reduce_into(op, x, places, out.mutable_data<T>());
    return out;
  });
}

Array sum_to(const Array& x, const Shape& shape) {
  const Index lead = x.rank() - shape.rank();
  std::vector<Index> axes;
  for (Index axis = 0; axis < x.rank(); ++axis) {
    if (axis < lead || (shape[axis - lead] == 1 && x.shape()[axis] != 1)) axes.push_back(axis);
  }
  if (axes.empty()) return x;
  return reduce(Reduce::sum, x, axes, true).reshape(shape);
}

}  // namespace heed::kernels
