// How elementwise kernels come to runs of neighbouring elements: operands of any strides are walked
// in runs, and a run that does not lie side by side goes through a small buffer.
#pragma once

#include "../../array.h"
#include "elementwise_simd.h"
#include "iterate.h"

namespace heed::kernels {

inline constexpr Index kBuffer = 256;

/// The run's elements side by side: the run itself when it is, else copied into `buffer`.
template <class T>
const T* gathered(const T* from, Index step, Index n, T* buffer) {
  if (step == 1) return from;
  for (Index i = 0; i < n; ++i) buffer[i] = from[i * step];
  return buffer;
}

/// Calls body(i, count) over pieces short enough for the buffers; one piece where none is needed.
template <class Body>
void pieces(Index n, bool whole, const Body& body) {
  const Index piece = whole ? n : kBuffer;
  for (Index i = 0; i < n; i += piece) body(i, std::min(piece, n - i));
}

/// A fresh array by run(from, to, n) over the runs of x. `cost` as in Walk::run.
template <class T, class Run>
Array map_runs(const Array& x, const Run& run, Index cost = 1) {
  Array out = Array::empty(x.shape(), x.dtype());
  const T* from = x.data<T>();
  T* to = out.mutable_data<T>();
  const Walk<2> walk(x.shape(), {&out.strides(), &x.strides()});
  const Index step = walk.inner_step(1);
  walk.run(
      [&](const auto& at, Index n) {
        T buffer[kBuffer];
        pieces(n, step == 1, [&](Index i, Index count) {
          run(gathered(from + at[1] + i * step, step, count, buffer), to + at[0] + i,
              static_cast<std::size_t>(count));
        });
      },
      cost);
  return out;
}

/// A fresh array by run(simd::BinaryRows<T>) over the runs of x and y, broadcast in the name of
/// `op`.
template <class T, class Run>
Array zip_runs(const char* op, const Array& x, const Array& y, const Run& run, Index cost = 1) {
  const bool same = x.shape() == y.shape();
  const Shape shape = same ? x.shape() : broadcast_shapes(op, x.shape(), y.shape());
  Array out = Array::empty(shape, x.dtype());
  const T* left = x.data<T>();
  const T* right = y.data<T>();
  T* to = out.mutable_data<T>();
  if (same && x.is_contiguous() && y.is_contiguous() && out.numel() <= kGrain) {
    run(simd::BinaryRows<T>{left, true, 0, right, true, 0, to, 0, 1,
                            static_cast<std::size_t>(out.numel())});
    return out;
  }
  const Array wide_x = x.expand(shape);
  const Array wide_y = y.expand(shape);
  const Walk<3> walk(shape, {&out.strides(), &wide_x.strides(), &wide_y.strides()});
  const Index step_x = walk.inner_step(1);
  const Index step_y = walk.inner_step(2);
  const bool whole = (step_x == 1 || step_x == 0) && (step_y == 1 || step_y == 0);
  const bool many_x = step_x != 0, many_y = step_y != 0;
  if (whole) {
    walk.run_rows(
        [&](const auto& at, Index n, Index rows) {
          run(simd::BinaryRows<T>{left + at[1], many_x, walk.outer_step(1), right + at[2], many_y,
                                  walk.outer_step(2), to + at[0], walk.outer_step(0), rows,
                                  static_cast<std::size_t>(n)});
        },
        cost);
    return out;
  }
  walk.run(
      [&](const auto& at, Index n) {
        T buffer_x[kBuffer];
        T buffer_y[kBuffer];
        pieces(n, false, [&](Index i, Index count) {
          const T* run_x = left + at[1] + i * step_x;
          const T* run_y = right + at[2] + i * step_y;
          if (many_x) run_x = gathered(run_x, step_x, count, buffer_x);
          if (many_y) run_y = gathered(run_y, step_y, count, buffer_y);
          run(simd::BinaryRows<T>{run_x, many_x, 0, run_y, many_y, 0, to + at[0] + i, 0, 1,
                                  static_cast<std::size_t>(count)});
        });
      },
      cost);
  return out;
}

}  // namespace heed::kernels
