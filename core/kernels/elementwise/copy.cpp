#include "copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstring>

#include "../../error.h"
#include "iterate.h"
#include "transpose_simd.h"

namespace heed::kernels {
namespace {

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, BFloat16>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int64_t>) {
    // Out of range (NaN too) is undefined for a cast: pin it to the ends, NaN to the lowest.
    if (!(value > static_cast<From>(-0x1p63))) return INT64_MIN;
    return value >= static_cast<From>(0x1p63) ? INT64_MAX : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void copy_run(To* to, Index to_step, const From* from, Index from_step, Index n) {
  if constexpr (std::is_same_v<To, From>) {
    if (to_step == 1 && from_step == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(To));
      return;
    }
  }
  if (to_step == 1 && from_step == 1) {
    for (Index i = 0; i < n; ++i) to[i] = convert<To>(from[i]);
  } else if (to_step == 1 && from_step == 0) {
    std::fill_n(to, n, convert<To>(*from));
  } else {
    for (Index i = 0; i < n; ++i) to[i * to_step] = convert<To>(from[i * from_step]);
  }
}

template <class To, class From>
void copy_walk(const Shape& shape, To* to, const Strides& to_steps, const From* from,
               const Strides& from_steps) {
  const Walk<2> walk(shape, {&to_steps, &from_steps});
  walk.run([&](const auto& at, Index n) {
    copy_run(to + at[0], walk.inner_step(0), from + at[1], walk.inner_step(1), n);
  });
}

// A transpose: `to` has neighbouring elements along `column`, `from` along `row`. Runs along either
// axis would touch a cache line of the other side for each element.
struct Crossing {
  Index row = -1;
  Index column = -1;
};

bool crosses(const Array& to, const Array& from, Crossing& axes) {
  constexpr Index kLeast = 4;  // shorter axes are not worth a tile
  for (Index axis = 0; axis < to.rank(); ++axis) {
    if (to.shape()[axis] < kLeast) continue;
    if (to.strides()[axis] == 1) axes.column = axis;
    if (from.strides()[axis] == 1) axes.row = axis;
  }
  return axes.row >= 0 && axes.column >= 0 && axes.row != axes.column &&
         to.strides()[axes.row] > 1 && from.strides()[axes.column] > 1;
}

// Both sides of a tile are read and written in whole cache lines; it is turned in between, in L1.
template <class T>
constexpr Index kTile = std::is_same_v<T, std::int64_t> ? 32 : 64;

template <class T>
void copy_tile(T* to, Index to_step, const T* from, Index from_step, Index rows, Index columns) {
  if constexpr (std::is_floating_point_v<T>) {
    return simd::transposes<T>().tile(from, from_step, to, to_step, rows, columns);
  }
  T block[kTile<T> * kTile<T>];
  for (Index c = 0; c < columns; ++c) {
    std::memcpy(block + c * kTile<T>, from + c * from_step,
                static_cast<std::size_t>(rows) * sizeof(T));
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) to[r * to_step + c] = block[c * kTile<T> + r];
  }
}

template <class T>
void copy_tiled(Array& to, const Array& from, const Crossing& axes) {
  const Shape& shape = to.shape();
  const Index rows = shape[axes.row];
  const Index columns = shape[axes.column];
  const Index to_step = to.strides()[axes.row];
  const Index from_step = from.strides()[axes.column];
  Shape places = shape;  // of tiles
  places[axes.row] = (rows - 1) / kTile<T> + 1;
  places[axes.column] = (columns - 1) / kTile<T> + 1;
  T* const target = to.mutable_data<T>();
  const T* const source = from.data<T>();
  const Index area = std::min(rows, kTile<T>) * std::min(columns, kTile<T>);
  parallel_for(places.numel(), std::max<Index>(1, kGrain / area), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      Index rest = i, row = 0, column = 0, at_to = 0, at_from = 0;
      for (Index axis = shape.rank() - 1; axis >= 0; --axis) {
        Index place = rest % places[axis];
        rest /= places[axis];
        if (axis == axes.row || axis == axes.column) place *= kTile<T>;
        if (axis == axes.row) row = place;
        if (axis == axes.column) column = place;
        at_to += place * to.strides()[axis];
        at_from += place * from.strides()[axis];
      }
      copy_tile(target + at_to, to_step, source + at_from, from_step,
                std::min(kTile<T>, rows - row), std::min(kTile<T>, columns - column));
    }
  });
}

}  // namespace

void copy_into(Array& to, const Array& from) {
  if (!(to.shape() == from.shape())) {
    throw ShapeError(fmt::format("copy: shapes differ: {} into {}", describe(from), describe(to)));
  }
  Crossing axes;
  if (to.dtype() == from.dtype() && to.numel() > 0 && crosses(to, from, axes)) {
    visit_dtype(to.dtype(), [&](auto zero) { copy_tiled<decltype(zero)>(to, from, axes); });
    return;
  }
  visit_dtype(to.dtype(), [&](auto to_zero) {
    visit_dtype(from.dtype(), [&](auto from_zero) {
      copy_walk(to.shape(), to.mutable_data<decltype(to_zero)>(), to.strides(),
                from.data<decltype(from_zero)>(), from.strides());
    });
  });
}

void join_into(Array& to, const std::vector<Array>& parts, Index axis) {
  if (to.numel() == 0) return;
  Index rows = 1;
  for (Index before = 0; before < axis; ++before) rows *= to.shape()[before];
  const auto lies_dense = [](const Array& each) { return each.is_contiguous(); };
  if (rows == 1 || !to.is_contiguous() || !std::all_of(parts.begin(), parts.end(), lies_dense)) {
    Index start = 0;
    for (const Array& each : parts) {
      Array part = to.slice(axis, start, start + each.size(axis));
      copy_into(part, each);
      start += each.size(axis);
    }
    return;
  }
  // Row after row, so that what is written lies in one run.
  visit_dtype(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    struct Part {
      const T* from;
      Index size;  // of a row
    };
    std::vector<Part> all;
    for (const Array& each : parts) all.push_back({each.data<T>(), each.numel() / rows});
    const Index row = to.numel() / rows;
    T* const target = to.mutable_data<T>();
    parallel_for(rows, std::max<Index>(1, kGrain / row), [&](Index begin, Index end) {
      T* at = target + begin * row;
      for (Index r = begin; r < end; ++r) {
        for (const Part& part : all) at = std::copy_n(part.from + r * part.size, part.size, at);
      }
    });
  });
}

Array flip(const Array& x, const std::vector<Index>& axes) {
  Array out = Array::empty(x.shape(), x.dtype());
  if (out.numel() == 0) return out;
  Strides backward = out.strides();
  Index last = 0;
  for (const Index axis : axes) {
    last += (x.shape()[axis] - 1) * out.strides()[axis];
    backward[axis] = -backward[axis];
  }
  visit_dtype(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    copy_walk(x.shape(), out.mutable_data<T>() + last, backward, x.data<T>(), x.strides());
  });
  return out;
}

void fill(Array& to, Scalar value) {
  const Walk<1> walk(to.shape(), {&to.strides()});
  visit_dtype(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* target = to.mutable_data<T>();
    T element = convert<T>(value.value());
    if constexpr (std::same_as<T, std::int64_t>) {
      if (value.dtype() != DType::f32) element = value.whole();
    }
    walk.run([&](const auto& at, Index n) {
      const Index step = walk.inner_step(0);
      if (step == 1) {
        std::fill_n(target + at[0], n, element);
      } else {
        for (Index i = 0; i < n; ++i) target[at[0] + i * step] = element;
      }
    });
  });
}

}  // namespace heed::kernels
